import { mergedFields } from '../kit/merge.ts';
import type { SourceObject } from '../kit/objects.ts';
import { type Output, objectOf } from '../kit/output.ts';
import type { Fields } from '../kit/values.ts';
import { egGroup } from './kinds.ts';
import { backendsOf, type Moving, rulesOf } from './moving.ts';
import { levelsOfParents, noteOf, type Policy, policiesAt } from './policy.ts';

interface Backend {
  readonly kind: 'Service' | 'XBackend';
  readonly namespace: string;
  readonly name: string;
}

/** What one use of a backend wants, and by which policies. */
interface Demand {
  readonly spec: Fields | undefined;
  readonly by: readonly Policy[];
}

/**
 * BackendPolicies. Theirs are of routes and ours of backends: each backend gets what the rules that use it want. Where they want different things
 * the first policy counts, and all of them have a note.
 */
export class BackendPolicies {
  readonly #demands = new Map<string, { readonly backend: Backend; readonly demands: Demand[] }>();
  readonly #own = new Map<string, { readonly backend: Backend; readonly spec: Fields }>();

  /** What a backend wants by itself. */
  addOwn(backend: Backend, spec: Fields): void {
    this.#own.set(keyOf(backend), { backend, spec });
  }

  /** The Services that get the requests of another one. False: other ones do already. */
  addFailover(namespace: string, name: string, failover: Fields): boolean {
    const backend = { kind: 'Service', namespace, name } as const;
    const known = this.#own.get(keyOf(backend));
    const before = known?.spec.failover;
    if (before !== undefined) return JSON.stringify(before) === JSON.stringify(failover);
    this.#own.set(keyOf(backend), { backend, spec: { ...known?.spec, failover } });
    return true;
  }

  addRoutes(policies: readonly Policy[], moving: Moving): void {
    for (const route of moving.routes)
      for (const rule of rulesOf(route)) {
        const demand = demandOf(route, rule, policies, moving);
        for (const backend of backendsOf(rule).flatMap((ref) => backendOf(ref, route.namespace))) {
          const found = this.#demands.get(keyOf(backend)) ?? { backend, demands: [] };
          this.#demands.set(keyOf(backend), found);
          found.demands.push(demand);
        }
      }
  }

  write(output: Output): void {
    const keys = new Set([...this.#demands.keys(), ...this.#own.keys()]);
    for (const key of [...keys].sort()) {
      const found = this.#demands.get(key);
      const own = this.#own.get(key);
      const backend = (found ?? own)?.backend as Backend;
      const spec = mergedFields(found && this.#agreed(found.backend, found.demands), own?.spec);
      if (spec === undefined) continue;
      const group = backend.kind === 'Service' ? '' : 'gateway.networking.x-k8s.io';
      output.add(
        `${backend.namespace}/_backends.yaml`,
        objectOf('gatewright.dev/v1alpha1', 'BackendPolicy', backend.namespace, backend.name, {
          targetRefs: [{ group, kind: backend.kind, name: backend.name }],
          ...spec,
        }),
      );
    }
  }

  #agreed(backend: Backend, demands: readonly Demand[]): Fields | undefined {
    const kinds = Map.groupBy(demands, ({ spec }) => JSON.stringify(spec ?? {}));
    const sorted = demands.filter(({ spec }) => spec !== undefined).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    const [first] = sorted;
    if (first !== undefined && kinds.size > 1)
      for (const policy of new Set(sorted.flatMap(({ by }) => by)))
        policy.notes.push(
          noteOf(
            'decision',
            'targetRefs',
            `rules want different things of ${backend.kind} ${backend.namespace}/${backend.name}, which has one BackendPolicy: that of ${nameOf(first)} is taken`,
          ),
        );
    return first?.spec;
  }
}

const keyOf = ({ kind, namespace, name }: Backend): string => `${namespace}/${kind}/${name}`;
const nameOf = ({ by }: Demand): string => by.map(({ id }) => id).join(', ');

function backendOf({ group = '', kind = 'Service', name, namespace }: Fields, home: string): readonly Backend[] {
  if (typeof name !== 'string') return [];
  const own = typeof namespace === 'string' ? namespace : home;
  if (group === '' && kind === 'Service') return [{ kind: 'Service', namespace: own, name }];
  if (group === egGroup && kind === 'Backend') return [{ kind: 'XBackend', namespace: own, name }];
  return [];
}

/** The most specific policy, with what it is put together with. */
function demandOf(route: SourceObject, rule: Fields, policies: readonly Policy[], moving: Moving): Demand {
  const { kind, namespace, name } = route;
  const own = { kind, namespace, name };
  const section = typeof rule.name === 'string' ? [{ ...own, sectionName: rule.name }] : [];
  const levels = [...section, { ...own, sectionName: undefined }, ...levelsOfParents(route, moving)];
  const by: Policy[] = [];
  for (const level of levels) {
    const [policy] = policiesAt(policies, level);
    if (policy === undefined || by.includes(policy)) continue;
    by.push(policy);
    if (!policy.isMerged) break;
  }
  const spec = by.reduceRight<Fields | undefined>(
    (upper, policy) => mergedFields(upper, policy.draft.of('BackendPolicy')),
    undefined,
  );
  return { spec, by };
}
