import type { Ingress } from '../../gateway-api/index.ts';
import { nameFromIngress } from '../../gateway-api/index.ts';
import { listenerName } from '../convert/names.ts';
import type { RouteContext } from '../convert/routes.ts';
import type { Fields } from '../features/part.ts';

/** The HTTPS listeners of hosts whose certificate an Ingress names first. */
export function listenerSetOf(
  { metadata: { name, namespace } }: Ingress,
  { certificates, options, site }: RouteContext,
): readonly { readonly kind: string; readonly name: string; readonly spec: Fields }[] {
  const own = [...certificates.values()].filter(
    (each) => !each.isBorrowed && each.ingress === name && each.namespace === namespace,
  );
  if (own.length === 0) return [];
  const listeners = own.map(({ host, of, secretName, certificateRefs }) => ({
    name: listenerName(host, own),
    hostname: host,
    port: options.httpsPort,
    protocol: 'HTTPS',
    tls: { mode: 'Terminate', certificateRefs: certificateRefs ?? [{ group: '', kind: 'Secret', name: secretName }] },
    allowedRoutes: { namespaces: namespacesOf(namespace ?? '', site.byHost.get(of) ?? []) },
  }));
  const parentRef = { group: 'gateway.networking.k8s.io', kind: 'Gateway', ...options.gateway };
  return [{ kind: 'ListenerSet', name: nameFromIngress(name), spec: { parentRef, listeners } }];
}

/** Where Ingresses of several namespaces may have one host, the routes of those that have it. */
function namespacesOf(own: string, users: readonly Ingress[]): Fields {
  const others = [...new Set(users.map(({ metadata }) => metadata.namespace ?? ''))].filter((user) => user !== own);
  if (others.length === 0) return { from: 'Same' };
  const values = [own, ...others.sort()];
  return {
    from: 'Selector',
    selector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }] },
  };
}
