import type { Any } from '@bufbuild/protobuf/wkt';
import * as ir from '../../../ir/index.ts';
import { million } from '../../resource/index.ts';
import type { EnvoyFilter } from '../envoy-filter.ts';
import { extension, extensionCheck, extensionMetadata } from '../extensions/extension.ts';
import { keptChecks } from '../extensions/kept.ts';
import { type HostStep, stepByHost } from '../host-step.ts';
import {
  emptySlot,
  fillSlot,
  nameInSlot,
  type Slot,
  type SlotContent,
  stepOfChain,
  switchedOff,
  type TableContent,
} from '../slot.ts';
import { waitingForTraffic } from '../steady.ts';
import { admission } from './admission.ts';
import { bandwidth } from './bandwidth.ts';
import { listsOfTotal, slotsOfTotal, totalMetadata, totalOfRoute, typesOfTotal } from './bandwidth-total.ts';
import { buffering } from './buffering.ts';
import { compression } from './compression.ts';
import { errorPages } from './error-pages.ts';
import { faults } from './faults.ts';
import { grpcWeb } from './grpc-web.ts';
import { pageScript, pageScripts } from './page-script.ts';
import { requestBody } from './request-body.ts';
import { cookieScript, cookieScripts, responseCookies } from './response-cookies.ts';
import { responseLocation } from './response-location.ts';

/** Envoy's filters for what policies have done to requests. */
const makers: {
  readonly [F in ir.TrafficFilter]: (value: NonNullable<ir.TrafficFilters[F]>) => SlotContent | undefined;
} = {
  compression,
  errorPages,
  requestBody,
  faults,
  buffering,
  firstExtension: extension('firstExtension'),
  secondExtension: extension('secondExtension'),
  responseLocation,
  responseCookies,
  grpcWeb,
  admission,
  bandwidth,
};

const nameOf = (filter: ir.TrafficFilter): string => `gatewright.traffic.${filter}`;

/** A table's own content has the slot of routes, which so say something else in its place. */
const slotOf = (filter: ir.TrafficFilter, more: Pick<Slot, 'chain' | 'protects'>): Slot => ({
  name: nameOf(filter),
  ...more,
  filter: (table) => tableContent(filter, table) ?? emptySlot(),
  isFilledBy: (table) => isInTable(filter, table),
  ofTable: { only: (table) => onlyIn(filter, table) },
});

/** The table with nothing but this filter. */
const onlyIn = (filter: ir.TrafficFilter, { traffic: found }: TableContent): TableContent =>
  found
    ? {
        traffic: {
          ...found,
          parts: found.parts
            .map((part) => onlyOf(filter, part))
            .filter(({ filters, closed }) => filters[filter] || closed),
        },
      }
    : {};

function onlyOf(filter: ir.TrafficFilter, part: ir.TrafficPart): ir.TrafficPart {
  const { filters, sources, closed, ...others } = part;
  const [own, source] = [filters[filter], sources[filter]];
  return {
    ...others,
    filters: { ...(own && { [filter]: own }) },
    sources: { ...(source !== undefined && { [filter]: source }) },
    ...(closed?.includes(filter) && { closed: [filter] }),
  };
}

const isInTable = (filter: ir.TrafficFilter, { traffic: found }: TableContent): boolean =>
  found?.parts.some((part) => partContent(filter, part) !== undefined) ?? false;

const partContent = (filter: ir.TrafficFilter, { filters, closed }: ir.TrafficPart): SlotContent | undefined =>
  closed?.includes(filter) ? closedContent : contentOf(filter, filters);

function tableContent(filter: ir.TrafficFilter, { traffic: found }: TableContent): Any | undefined {
  const steps = (found?.parts ?? []).flatMap((part): HostStep[] => {
    const content = partContent(filter, part);
    return content ? [{ content, hosts: part.hostnames }] : [];
  });
  const [first] = steps;
  if (!first) return undefined;
  return first.hosts ? stepByHost(filter, steps, found?.hostnames ?? []) : stepOfChain(filter, first.content);
}

export const trafficSlots = {
  compression: slotOf('compression', { chain: 'entry' }),
  errorPages: slotOf('errorPages', { chain: 'entry' }),
  requestBody: slotOf('requestBody', { chain: 'entry', protects: true }),
  faults: slotOf('faults', { chain: 'traffic' }),
  buffering: slotOf('buffering', { chain: 'traffic' }),
  firstExtension: slotOf('firstExtension', { chain: 'traffic', protects: true }),
  secondExtension: slotOf('secondExtension', { chain: 'traffic', protects: true }),
  responseLocation: slotOf('responseLocation', { chain: 'traffic' }),
  responseCookies: slotOf('responseCookies', { chain: 'traffic' }),
  grpcWeb: slotOf('grpcWeb', { chain: 'traffic' }),
  admission: slotOf('admission', { chain: 'traffic' }),
  bandwidth: slotOf('bandwidth', { chain: 'traffic' }),
} as const satisfies Readonly<Record<ir.TrafficFilter, Slot>>;

const extensionSlots: Readonly<Record<ir.ExtensionPlace, string>> = {
  firstExtension: trafficSlots.firstExtension.name,
  secondExtension: trafficSlots.secondExtension.name,
};

/** Behind their slots: see extension.ts. */
export const extensionsMet = extensionCheck(extensionSlots);

/** At the end of the chain: see kept.ts. */
export const requestKept = keptChecks;

/** Has the script that acts on what the slot for `responseCookies` says. */
export const cookieScriptSlot: Slot = {
  name: cookieScript,
  chain: 'traffic',
  filter: (table) => cookieScripts.slot(isInTable('responseCookies', table)),
  isFilledBy: (table) => isInTable('responseCookies', table),
  ofTable: { only: (table) => onlyIn('responseCookies', table), withMatcher: cookieScripts.withMatcher },
};

/** Has the script that asks servers for the pages of errors. */
export const pageScriptSlot: Slot = {
  name: pageScript,
  chain: 'entry',
  filter: (table) => pageScripts.slot(asksInTable(table)),
  isFilledBy: (table) => asksInTable(table),
  ofTable: { only: (table) => onlyIn('errorPages', table), withMatcher: pageScripts.withMatcher },
};

const asksInTable = ({ traffic: found }: TableContent): boolean =>
  found?.parts.some(({ filters }) => ir.asksForPages(filters)) ?? false;

/** What protects and is rejected by proxies lets no request pass. */
const closedContent = faults({ abort: { status: 503, perMillion: million } });

/** By the value, which is the same for all rules and matches of a route; an extension may be in several places. */
const known = new WeakMap<object, { readonly filter: ir.TrafficFilter; readonly content: SlotContent | undefined }>();

function contentOf<F extends ir.TrafficFilter>(filter: F, filters: ir.TrafficFilters): SlotContent | undefined {
  const value = filters[filter];
  if (value === undefined) return undefined;
  const before = known.get(value);
  if (before?.filter === filter) return before.content;
  const content = makers[filter](value as NonNullable<ir.TrafficFilters[F]>);
  known.set(value, { filter, content });
  return content;
}

/** Names of the types of Envoy's filters that it comes to, without their packages. */
export function typesOf(filter: ir.TrafficFilter, value: object): readonly string[] {
  const content = contentOf(filter, { [filter]: value });
  const filters = content === undefined ? [] : filtersIn(content);
  return [
    ...filters.map(({ typeUrl }) => typeUrl.slice(typeUrl.lastIndexOf('.') + 1)),
    ...(filter === 'bandwidth' ? typesOfTotal(value as ir.Bandwidth) : []),
  ];
}

function filtersIn(content: SlotContent): readonly Any[] {
  if ('filters' in content) return content.filters.map(({ typedConfig }) => typedConfig);
  return 'otherwise' in content ? filtersIn(content.otherwise) : [content];
}

/** Whether routes of calls have to take those of gRPC-Web. */
export const takesGrpcWeb = (filters: ir.RouteFilters | undefined): boolean => {
  const value = filters?.traffic?.grpcWeb;
  return value !== undefined && typeof value !== 'string';
};

function routeContent<F extends ir.TrafficFilter>(
  filter: F,
  own: NonNullable<ir.RouteTraffic[F]>,
): SlotContent | undefined {
  if (own === 'closed') return closedContent;
  return own === 'disabled' ? undefined : contentOf(filter, { [filter]: own });
}

const namesOf = (value: ir.RouteTraffic): readonly ir.TrafficFilter[] =>
  (Object.keys(makers) as ir.TrafficFilter[]).filter((filter) => value[filter] !== undefined);

/** Else all of it is in other slots. */
const hasContent = <F extends ir.TrafficFilter>(filter: F, own: ir.RouteTraffic[F]): boolean =>
  typeof own === 'string' || contentOf(filter, { [filter]: own }) !== undefined;

export const traffic: EnvoyFilter<'traffic'> = {
  slots: (value) => [
    ...namesOf(value).flatMap((filter) => [
      ...(hasContent(filter, value[filter]) ? [nameOf(filter)] : []),
      ...(filter === 'responseCookies' ? [cookieScript] : []),
    ]),
    ...(ir.asksForPages(value) ? [pageScript] : []),
    ...slotsOfTotal(value.bandwidth),
    ...waitingForTraffic(value),
  ],
  lists: ({ bandwidth: own }) => listsOfTotal(own),
  metadata: (value) => ({ ...extensionMetadata(value), ...totalMetadata(value.bandwidth) }),
  perRoute: (value) => ({
    ...(ir.asksForPages(value) && { [pageScript]: nameInSlot(pageScript) }),
    ...totalOfRoute(value.bandwidth),
    ...Object.fromEntries(
      namesOf(value).flatMap((filter) => {
        const own = value[filter];
        const content = own === undefined ? undefined : routeContent(filter, own);
        const script = content ? nameInSlot(cookieScript) : switchedOff();
        return [
          [nameOf(filter), content ? fillSlot(filter, content) : switchedOff()],
          ...(filter === 'responseCookies' ? [[cookieScript, script]] : []),
        ];
      }),
    ),
  }),
};
