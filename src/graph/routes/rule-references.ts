import { resolveBackend } from '../backends/index.ts';
import type { Store } from '../engine/index.ts';
import { filterReferencesOf, type ResolvedFilters, resolveFilters, resolveReferencesOf } from '../filters/index.ts';
import type {
  BackendRefSpec,
  BackendUser,
  ConditionFault,
  FilterSpec,
  ResolvedBackend,
  RuleSpec,
} from '../model/index.ts';

/** Where the references of one rule lead, and what its filters come to. */
export interface RuleReferences {
  /** Of the rule itself. */
  readonly filters: ResolvedFilters;
  readonly refs: readonly ResolvedRef[];
  readonly faults: readonly ConditionFault[];
}

export interface ResolvedRef {
  readonly weight: number;
  readonly target: ResolvedBackend;
  readonly filters: ResolvedFilters;
}

/** Resolves the references and filters of a rule once, whatever number of matches it has. */
export function resolveReferences(rule: RuleSpec, route: BackendUser, store: Store): RuleReferences {
  const { backendRefs = [] } = rule;
  const followed = backendRefs.map((ref) => resolveBackend(ref, route, store));
  const own = ownBackends(backendRefs, store);
  // A copy of a request, or an authorization, never goes to the rule's own backend.
  const { rule: _, ...user } = route;
  const targets = resolveReferencesOf(rule, user, store);
  const { namespace } = route;
  const isGrpc = route.kind === 'GRPCRoute';
  const owner = { namespace, isGrpc, store, targetsOf: (spec: FilterSpec) => targets.get(spec) ?? [] };
  const filters = resolveFilters(rule.filters, owner);
  const refs = weightedRefs(backendRefs, followed, own).map(({ ref, target }) => ({
    weight: ref.weight ?? 1,
    target,
    filters: resolveFilters(ref.filters, owner),
  }));
  const unresolved = [filters, ...refs.map((ref) => ref.filters)].flatMap(
    ({ referenceFaults = [] }) => referenceFaults,
  );
  return {
    filters,
    refs,
    faults: [
      ...[...followed, ...[...targets.values()].flat(), { fault: own?.mixed }].flatMap((result) =>
        'fault' in result && result.fault ? [result.fault] : [],
      ),
      ...unresolved,
    ],
  };
}

/** Those references of a rule that are one backend together, the rule's own. */
interface OwnBackends {
  readonly isOwn: (ref: BackendRefSpec) => boolean;
  /** The rule has others beside them: a share of its requests would not know which of them they are for. */
  readonly mixed: ConditionFault | undefined;
}

function ownBackends(refs: readonly BackendRefSpec[], { providers }: Store): OwnBackends | undefined {
  const isOwn = ({ group = '', kind = 'Service' }: BackendRefSpec) =>
    providers.find({ group, kind })?.isOnePerRule ?? false;
  const own = refs.find(isOwn);
  if (!own) return undefined;
  const message = `backendRefs name ${own.kind}s and others: give each kind a rule of its own`;
  return { isOwn, mixed: refs.every(isOwn) ? undefined : { reason: 'UnsupportedValue', message } };
}

/** A rule's own backend is one weighted backend: which of the objects serves a request depends on the request. Beside others they are left out. */
function weightedRefs(
  refs: readonly BackendRefSpec[],
  followed: readonly ResolvedBackend[],
  own: OwnBackends | undefined,
) {
  const all = refs.map((ref, index) => ({ ref, target: followed[index] as ResolvedBackend }));
  const [first] = all;
  if (!first || !own) return all;
  if (own.mixed) return all.filter(({ ref }) => !own.isOwn(ref));
  const weight = refs.some(({ weight: one = 1 }) => one > 0) ? 1 : 0;
  return [{ ref: { ...first.ref, weight }, target: uniteUses(followed) }];
}

function uniteUses(resolved: readonly ResolvedBackend[]): ResolvedBackend {
  const found = resolved.flatMap((one) => ('key' in one ? [one] : []));
  const [first] = found;
  if (!first) return resolved[0] as ResolvedBackend;
  return { key: first.key, uses: [...new Set(found.flatMap(({ uses = [] }) => uses))] };
}

/** Every backend that a rule names, in its own backendRefs or in a filter. */
export const backendRefsOf = (rule: RuleSpec): readonly Pick<BackendRefSpec, 'name' | 'namespace'>[] => [
  ...(rule.backendRefs ?? []),
  ...filterReferencesOf(rule).map(({ backendRef }) => backendRef),
];
