import * as z from 'zod';
import type * as ir from '../../../ir/index.ts';
import type { ConditionFault, FilterSpec } from '../../model/index.ts';
import type { FilterContext, FilterModule, ResolvedFilters } from '../filter-module.ts';
import { isHttpOnly, memberOf, resolveMember } from './members/index.ts';
import { shownEdit } from './shown-edit.ts';

type Ref = NonNullable<FilterSpec['extensionRef']>;

const group = 'gatewright.dev';
const kind = 'HTTPFilter';

const texts = z.array(z.string());
const header = z.array(z.strictObject({ name: z.string(), value: z.string() }));
const edit = z.strictObject({
  remove: texts,
  removePrefixes: texts,
  removePatterns: texts.optional(),
  set: header,
  add: header,
  ifAbsent: header,
});

/** A filter of our own kind. Source: HTTPRouteFilter.extensionRef. */
export const extensionRef: FilterModule = {
  key: 'headerEdits',
  ruleOnly: true,
  resolve: ({ extensionRef: ref }, context) => (ref ? resolveRef(ref, context) : {}),
  backendsOf: ({ headerEdits: edits }) => (edits?.credential ? [edits.credential.backend] : []),
  effect: {
    schema: z.strictObject({
      withheld: texts.optional(),
      requestHeaders: edit.optional(),
      responseHeaders: edit.optional(),
      credentialIn: z.string().optional(),
    }),
    show: ({ headerEdits: edits }) =>
      edits && {
        ...(edits.withheld && { withheld: edits.withheld }),
        ...(edits.request && { requestHeaders: shownEdit(edits.request) }),
        ...(edits.response && { responseHeaders: shownEdit(edits.response) }),
        ...(edits.credential && { credentialIn: edits.credential.header }),
      },
  },
};

function resolveRef(ref: Ref, { earlier, namespace, store, isGrpc }: FilterContext): ResolvedFilters {
  const filter = isOurs(ref) ? store.find(kind, `${namespace}/${ref.name}`) : undefined;
  if (!filter) return unresolved(missing(ref, namespace));
  const where = `${kind} ${namespace}/${ref.name}`;
  const naming = ({ reason, message }: ConditionFault) => ({ reason, message: `${where}: ${message}` });
  const result = resolveMember(filter, store);
  if ('referenceFault' in result) return unresolved(naming(result.referenceFault));
  const member = memberOf(filter) ?? '';
  if ('acceptFault' in result)
    return { fault: naming(result.acceptFault), ...(member === 'cookieMatch' && { isForNone: true }) };
  const { members = [], filters, ownRewrite } = earlier;
  if (members.includes(member))
    return {
      fault: { reason: 'IncompatibleFilters', message: `${where}: the rule has another filter with ${member}` },
    };
  if (isGrpc && member !== '' && isHttpOnly(member))
    return { fault: naming({ reason: 'UnsupportedValue', message: `${member} is for HTTPRoutes` }) };
  const { parts } = result;
  return {
    ...parts,
    members: [...members, member],
    ...(parts.filters && { filters: { headerEdits: { ...filters?.headerEdits, ...parts.filters.headerEdits } } }),
    ...(parts.ownRewrite && { ownRewrite: { ...ownRewrite, ...parts.ownRewrite } }),
  };
}

const isOurs = (ref: Ref): boolean => ref.group === group && ref.kind === kind;

function missing(ref: Ref, namespace: string): ConditionFault {
  return isOurs(ref)
    ? { reason: 'FilterNotFound', message: `${kind} ${namespace}/${ref.name} does not exist: create it` }
    : {
        reason: 'InvalidKind',
        message: `extensionRef names a ${ref.group}/${ref.kind} ${ref.name}: only ${kind}s of ${group} can stand there`,
      };
}

/** It must not be skipped: no request may pass. */
const unresolved = ({ reason, message }: ConditionFault): ResolvedFilters => ({
  denied: true,
  referenceFaults: [{ reason, message: `${message}; until then requests of the rule get an error` }],
});

/** Filters of a rule that contradict each other, whatever their order. */
export function contradiction({
  members = [],
  rewrite,
  redirect,
  filters,
}: ResolvedFilters): ConditionFault | undefined {
  if (members.length === 0) return undefined;
  const shown = shownCredential(filters?.headerEdits);
  if (shown) return shown;
  const found = (names: readonly string[]): string[] => names.filter((name) => members.includes(name));
  const hosts = [...found(['hostRewrite']), ...(rewrite?.hostname === undefined ? [] : ['another change of Host'])];
  const paths = [...found(['regexRewrite']), ...(rewrite?.path === undefined ? [] : ['URLRewrite.path'])];
  const answers = [...found(['directResponse', 'regexRedirect']), ...(redirect ? ['RequestRedirect'] : [])];
  const rewrites = [...hosts, ...paths];
  const [one, other] =
    [hosts, paths, answers, answers.length > 0 ? [...answers, ...rewrites] : []].find(
      (list) => list.length > 1 && list.some((name) => members.includes(name)),
    ) ?? [];
  return one === undefined
    ? undefined
    : { reason: 'IncompatibleFilters', message: `${one} and ${other} contradict each other: remove one of them` };
}

/** Clients would read it. */
function shownCredential({ credential, response }: ir.HeaderEdits = {}): ConditionFault | undefined {
  if (!credential || !response) return undefined;
  const parts = [...response.set, ...response.add, ...response.ifAbsent].flatMap(({ value }) => value);
  const isShown = parts.some(
    (part) =>
      typeof part === 'object' && part.kind === 'header' && part.of === 'request' && part.name === credential.header,
  );
  if (!isShown) return undefined;
  const message = `headers.response has %REQ(${credential.header})%, in which credentialInjection puts a credential that clients must not see: leave it out`;
  return { reason: 'IncompatibleFilters', message };
}

/** Keys of the filters that a rule names. */
export const httpFilterKeys = (specs: readonly FilterSpec[], namespace: string): string[] =>
  specs.flatMap(({ extensionRef: ref }) => (ref && isOurs(ref) ? [`${namespace}/${ref.name}`] : []));
