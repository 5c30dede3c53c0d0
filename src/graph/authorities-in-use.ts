import { type KindName, keyOf, parseObjectKey } from '../gateway-api/index.ts';
import { type AuthorityBundle, authorityHolders, bundleIn } from './certificates/index.ts';
import type { Edges, Store } from './engine/index.ts';
import type { ObjectReference } from './model/index.ts';

/** An object with certificates of authorities, and who checks others by them. */
export interface AuthorityHolding {
  readonly kind: (typeof authorityHolders)[number];
  /** As keyOf makes it. */
  readonly key: string;
  /** Undefined when it cannot be used. */
  readonly bundle: AuthorityBundle | undefined;
  /** Never empty. */
  readonly usedBy: readonly ObjectReference[];
}

/** Those that something names, and may. Looks at each ConfigMap, and reads only those that are named. */
export function* authoritiesInUse(
  store: Store,
  edges: Edges,
  isOurs: (kind: KindName, key: string) => boolean,
): Generator<AuthorityHolding> {
  for (const kind of authorityHolders) {
    for (const object of store.list(kind)) {
      const key = keyOf(object);
      const { namespace = '', name } = object.metadata;
      const to = { group: '', kind, namespace, name };
      const usedBy = edges
        .users('authority', kind, key)
        .filter((user) => isOurs(user.kind, user.key))
        .map((user) => ({ kind: user.kind, ...parseObjectKey(user.key) }))
        .filter((user) => namespace === '' || store.allows({ from: { group: gatewayGroup, ...user }, to }));
      if (usedBy.length > 0) yield { kind, key, bundle: bundleIn(kind, object), usedBy };
    }
  }
}

/** Of Gateways, the only ones that may name authorities of other namespaces. */
const gatewayGroup = 'gateway.networking.k8s.io';
