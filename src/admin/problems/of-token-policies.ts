import { keyOf, kinds, type ObjectByKind, objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import type { AdminSources } from '../sources.ts';
import type { Finding } from './problem.ts';

interface Rule {
  readonly backendRefs?: readonly { readonly group?: string; readonly kind?: string }[];
}

/** Budgets that count nothing, because no target leads to a model. A target that does not exist is for the status to say. */
export function* ofTokenPolicies({ graph }: Pick<AdminSources, 'graph'>): Generator<Finding> {
  for (const policy of graph.list('TokenPolicy')) {
    const routes = policy.spec.targetRefs.map(({ kind, name }) =>
      kind === 'HTTPRoute' ? graph.find('HTTPRoute', objectKey(policy.metadata.namespace, name)) : undefined,
    );
    const idle = routes.filter((route) => route !== undefined && !asksModels(route)) as ObjectByKind['HTTPRoute'][];
    if (idle.length === 0 || idle.length < routes.length) continue;
    yield {
      code: 'object_not_accepted',
      object: { kind: 'TokenPolicy', ...parseObjectKey(keyOf(policy)) },
      message: `no rule of HTTPRoute ${idle.map(keyOf).join(', ')} names an AIService, so nothing is counted`,
      next: 'Name an AIService in `backendRefs` of the route, or correct `targetRefs` of the policy.',
    };
  }
}

const asksModels = ({ spec }: ObjectByKind['HTTPRoute']): boolean =>
  ((spec.rules ?? []) as readonly Rule[]).some(({ backendRefs = [] }) =>
    backendRefs.some(({ group, kind }) => group === kinds.AIService.group && kind === kinds.AIService.name),
  );
