import { gatewayObjects, type Standalone } from './standalone.ts';

/** The Gateway `edge` with the listeners `http` and, for `*.wild.test`, `wild`, and a ListenerSet `team` for `*.team.test`. */
export function writeListeners({ write, port }: Standalone): void {
  const [gatewayClass] = gatewayObjects(port) as [object];
  const listener = (name: string, hostname?: string) => ({
    name,
    port,
    protocol: 'HTTP',
    ...(hostname && { hostname }),
  });
  const gateway = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name: 'edge' },
    spec: {
      gatewayClassName: 'gatewright',
      allowedListeners: { namespaces: { from: 'Same' } },
      listeners: [listener('http'), listener('wild', '*.wild.test')],
    },
  };
  const set = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'ListenerSet',
    metadata: { name: 'team' },
    spec: { parentRef: { name: 'edge' }, listeners: [listener('team', '*.team.test')] },
  };
  // In one file: who knows the set knows the Gateway.
  write('gateway.yaml', gatewayClass, gateway, set);
}
