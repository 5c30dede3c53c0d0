import type { Fields } from '../features/part.ts';
import type { StreamService } from '../judge/streams.ts';
import { nameOf } from './names.ts';
import { objectOf } from './object.ts';
import type { ConvertOptions } from './options.ts';

const listenerOf = ({ protocol, port }: StreamService): string => `${protocol.toLowerCase()}-${port}`;

/** Listeners of the Gateway for ports whose bytes go to a Service. */
export const streamListeners = (services: readonly StreamService[]): readonly Fields[] =>
  services.map((service) => ({
    name: listenerOf(service),
    port: service.port,
    protocol: service.protocol,
    allowedRoutes: { namespaces: { from: 'All' } },
  }));

/** The ListenerPolicies of those whose connections begin with a PROXY protocol header. */
export const streamPolicies = (services: readonly StreamService[], { gateway }: ConvertOptions): readonly Fields[] =>
  services
    .filter(({ readsProxy }) => readsProxy)
    .map((service) =>
      objectOf(
        'gatewright.dev/v1alpha1',
        'ListenerPolicy',
        { ...gateway, name: nameOf(gateway.name, listenerOf(service)) },
        {
          targetRefs: [
            {
              group: 'gateway.networking.k8s.io',
              kind: 'Gateway',
              name: gateway.name,
              sectionName: listenerOf(service),
            },
          ],
          clientIP: { proxyProtocol: 'Required' },
        },
      ),
    );

/** TCPRoutes and UDPRoutes are in the namespaces of their Services, so that they need no grant. */
export function l4Routes(
  services: readonly StreamService[],
  { gateway }: ConvertOptions,
): ReadonlyMap<string, readonly Fields[]> {
  const routeOf = (service: StreamService) =>
    objectOf(
      'gateway.networking.k8s.io/v1',
      `${service.protocol}Route`,
      { name: nameOf(service.name, listenerOf(service)), namespace: service.namespace },
      {
        parentRefs: [{ name: gateway.name, namespace: gateway.namespace, sectionName: listenerOf(service) }],
        rules: [{ backendRefs: [{ name: service.name, port: service.backendPort }] }],
      },
    );
  return new Map(
    [...Map.groupBy(services, ({ namespace }) => namespace)].map(([namespace, some]) => [namespace, some.map(routeOf)]),
  );
}
