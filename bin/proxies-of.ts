import type { SettledGateway } from '../src/graph/index.ts';
import type { GatewayProxies, ProxyPort } from '../src/infrastructure/index.ts';

/** What a settled Gateway asks of its proxies: a port for each that is bound, its infrastructure's marks, its parameters. */
export function proxiesOf({ object, irListeners, parameters }: SettledGateway): GatewayProxies {
  const { metadata, spec } = object;
  const ports = [...irListeners.values()].map(
    ({ bind, transport }): ProxyPort => ({ port: bind.port, protocol: transport === 'tcp' ? 'TCP' : 'UDP' }),
  );
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    ports,
    labels: spec.infrastructure?.labels ?? {},
    annotations: spec.infrastructure?.annotations ?? {},
    addresses: spec.addresses ?? [],
    parameters: parameters.spec,
  };
}
