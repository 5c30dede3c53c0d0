import { type GatewayStatus, splitKey } from '../gateway-api/index.ts';
import { attachmentKey } from './attach.ts';
import type { Attachments } from './attachments.ts';
import type { SettledGateway } from './gateway.ts';
import { routeReference } from './route-key.ts';
import type { StatusBook } from './status-book.ts';
import type { ListenerView } from './view.ts';

/** The listeners of the settled Gateways, as others may see them. */
export function* listenerViews(
  gateways: Iterable<SettledGateway>,
  statuses: StatusBook,
  attachments: Attachments,
): Generator<ListenerView> {
  for (const { key, listeners } of gateways) {
    const { namespace, name } = splitKey(key);
    const status = statuses.find('Gateway', key) as GatewayStatus | undefined;
    for (const listener of listeners) {
      const routes = [...attachments.routesOf(attachmentKey(key, listener.name))].sort();
      yield {
        name: `${namespace}.${name}.${listener.name}`,
        gateway: { namespace, name },
        source: 'Gateway',
        section: listener.name,
        port: listener.port,
        protocol: listener.protocol,
        ...(listener.spec.hostname && { hostname: listener.spec.hostname }),
        addresses: status?.addresses ?? [],
        ...(listener.spec.tls && {
          tls: {
            mode: listener.spec.tls.mode ?? 'Terminate',
            certificates: listener.certificateRefs,
            ...(listener.clients && {
              frontendValidation: listener.clients.required ? 'AllowValidOnly' : 'AllowInsecureFallback',
            }),
          },
        }),
        attachedRoutes: routes.length,
        routes: routes.map(routeReference),
        conditions: status?.listeners.find((entry) => entry.name === listener.name)?.conditions ?? [],
      };
    }
  }
}
