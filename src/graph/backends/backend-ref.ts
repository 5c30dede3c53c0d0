import type { KindName } from '../../gateway-api/index.ts';
import { type BackendProviders, type Store, ungranted } from '../engine/index.ts';
import type { BackendRefSpec, BackendUser, ResolvedBackend } from '../model/index.ts';

/** Resolves one reference of a route. Source: Gateway API, BackendObjectReference; reasons of RouteConditionResolvedRefs. */
export function resolveBackend(
  ref: Pick<BackendRefSpec, 'group' | 'kind' | 'name' | 'namespace' | 'port'>,
  user: BackendUser,
  store: Store,
): ResolvedBackend {
  const { group = '', kind = 'Service', name, namespace = user.namespace, port } = ref;
  const provider = store.providers.find({ group, kind });
  if (!provider)
    return { fault: { reason: 'InvalidKind', message: unsupported({ group, kind, name }, store.providers) } };
  const from = { group: user.group ?? 'gateway.networking.k8s.io', kind: user.kind, namespace: user.namespace };
  if (!store.allows({ from, to: { group, kind, namespace, name } })) {
    return { fault: { reason: 'RefNotPermitted', message: ungranted({ kind, namespace, name, user }, store) } };
  }
  return provider.resolve({ namespace, name, port }, user, store);
}

interface ForeignRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

function unsupported({ group, kind, name }: ForeignRef, providers: BackendProviders): string {
  const kinds = providers.kinds();
  const said = `backendRef ${name} is of kind ${group ? `${group}/` : ''}${kind}`;
  // A kind that has moved from one group to another.
  const namesake = kinds.find((each) => each.name === kind && each.group !== '');
  if (namesake) return `${said}, which is not read: ${namesake.group}/${kind} is`;
  const names = kinds.map((each: { group: string; name: KindName }) =>
    each.group ? `${each.name} of ${each.group}` : each.name,
  );
  const known = [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');
  return `${said}: only ${known} are supported`;
}
