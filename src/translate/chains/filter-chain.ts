import { create } from '@bufbuild/protobuf';
import { FilterChainConfigSchema, packAny, TypedExtensionConfigSchema, typeUrls } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import {
  aheadOfTraffic,
  type SlotList,
  slotAndItem,
  slots,
  steadySlots,
  type TableContent,
  waitingIn,
  waitingInTable,
} from '../filters/index.ts';
import {
  adsSource,
  type ChainDemand,
  type ChainKind,
  type ChainList,
  type ChainRole,
  chainName,
  durationOf,
  type EnvoyResource,
  type HttpFilter,
  type Provenance,
  resourceOf,
  slotListsListenerName,
} from '../resource/index.ts';
import { configOf, filtersOf, isSteady, leadsBeside } from './chain-filters.ts';
import { accessOrigins, guardsClosed } from './closed-demands.ts';
import { demandsIn, demandsOf, versionWith } from './demands.ts';
import { limitOrigins, limitsNamedIn, limitsWithout, listsWithout } from './limit-origins.ts';
import { needsOf } from './needs.ts';
import { listsAtOf, type SlotsOfTable, slotListsListener, translateBeside } from './slot-lists.ts';
import { chainKinds, chainRoles, hasUsed, roles, slotsOfChain, usedOf } from './slots-of-chain.ts';
import { trafficNamedIn, trafficOrigins, trafficWithout } from './traffic-origins.ts';

type Table = TableContent & Pick<ir.RouteTable, 'id'>;

/** What a filter chain is made from. */
interface Parts {
  readonly role: ChainRole;
  readonly kind: ChainKind;
  readonly table: Table;
  /** The same with what clients reject. */
  readonly published: Table;
  /** Slots, and lists in them. */
  readonly names: ReadonlySet<string>;
  /** Each list that `names` has, or that is beside the chain. */
  readonly lists: ReadonlyMap<string, SlotList>;
  /** Modules may run. */
  readonly modules: boolean;
  /** What the table itself uses because its own requests wait. */
  readonly waiting: readonly string[];
  /** What the table demands, as `table` has it or closed. */
  readonly own: readonly ChainDemand[];
  /** What it demanded before. */
  readonly former: readonly ChainDemand[];
  /** What is beside chains of its kind is published. */
  readonly hasBeside: boolean;
  /** Of a chain in which requests waited until now: what is beside it. */
  readonly outlasted?: () => readonly EnvoyResource[];
}

/**
 * The filters by which connection managers of a table name its filter chains, whose content comes by ECDS. Where nothing says otherwise, requests meet all
 * that may be demanded of them (base-chain.ts).
 */
export const chainFilters = (table: string): readonly HttpFilter[] =>
  (['entry', 'auth', 'base', 'traffic'] as const).map((role) => ({
    name: chainName(role, table),
    ...(role === 'base' && { disabled: true }),
    configType: {
      case: 'configDiscovery',
      value: {
        // The listener stays closed until the chain is there. Envoy would otherwise open it after a while, and answer 500.
        configSource: { ...adsSource(), initialFetchTimeout: durationOf(0) },
        typeUrls: [`type.googleapis.com/${FilterChainConfigSchema.typeName}`],
      },
    },
  }));

/**
 * ECDS: the filter chains of a table, with what the table demands and the slots that its routes use. A chain without either is empty: the
 * least that Envoy takes. Where requests wait in one, what routes name in its slots is in resources beside it. `modules`: the operator lets them run.
 */
export function translateChains(table: Table, used: SlotsOfTable, modules = false): readonly EnvoyResource[] {
  const { names, inBase, lists } = used;
  const waiting = waitingInTable(table);
  const ofTable = [...slots.flatMap((slot) => (slot.isFilledBy?.(table) ? slot.name : [])), ...waiting];
  const usedIn = (role: ChainRole) =>
    usedOf(sortOf({ kind: chainRoles[role], table, modules }), [
      ...ofTable,
      ...[...names].filter((name) => hasUsed(role, name, inBase.has(name))),
    ]);
  const withBeside = chainKinds.filter((kind) => leadsBeside({ kind, names: usedIn(fullest[kind]) }));
  const demands = demandsOf(table.access);
  const chains = roles.map((role): Parts => {
    const kind = chainRoles[role];
    return {
      role,
      kind,
      table,
      names: usedIn(role),
      lists: new Map([...lists].filter(([name]) => hasUsed(role, name, inBase.has(name)))),
      modules,
      waiting,
      published: table,
      own: kind === 'access' ? demands : [],
      former: [],
      hasBeside: withBeside.includes(kind),
    };
  });
  return [
    ...chains.map(filterChain),
    ...withBeside.flatMap((kind) => translateBeside(kind, table, { names, lists })),
    ...(withBeside.length > 0 ? [slotListsListener(table.id, withBeside)] : []),
  ];
}

const sortOf = ({ kind, table, modules }: Pick<Parts, 'kind' | 'table' | 'modules'>) => ({
  kind,
  modules,
  hasOwn: () => filtersOf({ kind, table, names: new Set(), lists: noLists, former: [] }).length > 0,
});

/** The chain of each kind that has all that is used. */
const fullest: Readonly<Record<ChainKind, ChainRole>> = { entry: 'entry', access: 'auth', traffic: 'traffic' };

/** What a table may have of that. */
export const chainResources = (table: string): readonly Pick<EnvoyResource, 'typeUrl' | 'name'>[] => [
  { typeUrl: typeUrls.listener, name: slotListsListenerName(table) },
  ...[
    ...chainKinds.flatMap((kind) => [...listsAtOf(kind, table).values()]),
    ...roles.map((role) => chainName(role, table)),
  ].map((name) => ({ typeUrl: typeUrls.extension, name })),
];

function filterChain(parts: Parts): EnvoyResource {
  const { role, kind, table, names, lists, own, former, hasBeside, outlasted } = parts;
  const listsAt = isSteady(parts) ? listsAtOf(kind, table.id) : undefined;
  const name = chainName(role, table.id);
  const config = create(FilterChainConfigSchema, configOf(filtersOf(parts)));
  const message = create(TypedExtensionConfigSchema, { name, typedConfig: packAny(FilterChainConfigSchema, config) });
  const provenance = provenanceOf(parts);
  const resource = resourceOf(typeUrls.extension, name, TypedExtensionConfigSchema, message);
  const ownByDigest = byDigest(own);
  const demands = listsAt ? new Map<string, ChainDemand>() : byDigest([...own, ...former]);
  const made: EnvoyResource = {
    ...resource,
    ...needsOfChain(parts, listsAt),
    version: versionWith(isAhead(parts) ? `${resource.version}a` : resource.version, demands.values()),
    ...(provenance && { provenance }),
    slots: {
      names,
      lists: listsAt ? noLists : lists,
      ...(listsAt && { listsAt }),
      ...(outlasted && { beside: outlasted }),
      ...(!listsAt && { steady: () => made.slots?.with([steadySlots[kind]]) ?? made }),
      ...(isAhead(parts) && { isAhead: true }),
      ...(kind === 'traffic' && { ahead: () => made.slots?.with([aheadOfTraffic]) ?? made }),
      own: ownByDigest,
      demands,
      with(more, before = [], theirs = noLists) {
        const known = new Map([...theirs, ...lists]);
        const all = withNames(parts, more, known);
        // Beside a chain in which requests wait is what was demanded before, too.
        const kept = listsAt ? [] : [...before].filter(({ digest }) => !ownByDigest.has(digest));
        if (all.symmetricDifference(names).size === 0 && kept.length === 0 && former.length === 0) return made;
        // What was beside the chain while requests waited in it is there for as long as it stays so.
        if (!listsAt && isSteady({ kind, names: all }))
          return filterChain({ ...parts, names: all, ...(!hasBeside && { outlasted: () => besideOf(parts) }) });
        const used = new Map([...known].filter(([use]) => all.has(use)));
        return filterChain({ ...parts, names: all, lists: used, former: kept });
      },
      demandsIn: (version, find) => demandsIn(version, ownByDigest, find),
      withAll: (before) => made.slots?.with(slotsOfChain[kind], before) ?? made,
    },
  };
  return made;
}

/** What stays beside a chain while it has outlasted what requests waited for. */
const besideOf = ({ kind, published, names, lists }: Parts): readonly EnvoyResource[] =>
  translateBeside(kind, published, { names, lists });

/** It is empty, and requests that wait will come to it: what clients have is to say so, though Envoy gets the same bytes. */
const isAhead = (parts: Parts): boolean => parts.names.has(aheadOfTraffic) && !isSteady(parts);

/** Where the table's own requests wait in this chain, they do as soon as a client has it: it must have those behind before, and what is beside it. */
function needsOfChain({ kind, table, waiting }: Parts, listsAt: ReadonlyMap<string, string> | undefined) {
  const behind = waiting.includes(steadySlots[kind]) ? waitingIn(kind).slice(1) : [];
  const beside = [...(listsAt?.values() ?? [])].map((name) => [name, []] as const);
  const base = behind.includes(steadySlots.access)
    ? [[chainName('base', table.id), [steadySlots.access]] as const]
    : [];
  const needs = new Map([...(needsOf(table.id, behind) ?? []), ...base, ...beside]);
  return needs.size > 0 ? { needs } : {};
}

/** Its names, and slots of a client's chain. A list that only an earlier control plane knew is none that a scope of this one names. */
const withNames = (
  { kind, table, names, modules }: Parts,
  more: Iterable<string>,
  lists: ReadonlyMap<string, ChainList>,
): ReadonlySet<string> =>
  usedOf(sortOf({ kind, table, modules }), [
    ...names,
    ...[...more].filter((name) => !namesList(name) || lists.has(name)),
  ]);

const noLists: ReadonlyMap<string, SlotList> = new Map();

const slotsWithLists = new Set(slots.flatMap(({ name, hasLists }) => (hasLists ? [name] : [])));

/** Whether it is of no use without the list. */
function namesList(name: string): boolean {
  const [slot, item] = slotAndItem(name);
  return item !== undefined && slotsWithLists.has(slot);
}

const byDigest = (demands: readonly ChainDemand[]): ReadonlyMap<string, ChainDemand> =>
  new Map(demands.map((demand) => [demand.digest, demand]));

/** What proxies reject of a policy of access lets no request in, where it would otherwise be left out; what they reject of one of traffic, only where it protects. A bucket that they reject is left out. */
function provenanceOf(parts: Parts): Provenance | undefined {
  const { kind, table, lists, own } = parts;
  // Where requests wait, all of it is beside the chain.
  const { access: guards, traffic, limits: counts } = isSteady(parts) ? {} : table;
  const access = kind === 'access' ? guards : undefined;
  const limits = { kind, table: counts, lists: isSteady(parts) ? noLists : lists };
  if (!access && !traffic && !counts && limits.lists.size === 0) return undefined;
  return {
    origins: () => [...accessOrigins(access), ...trafficOrigins(kind, traffic), ...limitOrigins(limits)],
    namedIn: (message) => [...trafficNamedIn(kind, traffic, message), ...limitsNamedIn(limits, message)],
    without(_name, keys) {
      const closed = guardsClosed(access, own, keys);
      const left = trafficWithout(traffic, keys);
      const counted = limitsWithout(table.limits, keys);
      return filterChain({
        ...parts,
        table: {
          ...table,
          ...(access && { access: { ...access, demands: closed.demands } }),
          ...(left && { traffic: left }),
          ...(counted && { limits: counted }),
        },
        lists: listsWithout(lists, keys),
        own: closed.own,
      });
    },
  };
}
