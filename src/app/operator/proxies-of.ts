import { parseObjectKey } from '../../gateway-api/index.ts';
import type { ResolvedFleet, ResolvedGateway } from '../../graph/index.ts';
import type { GatewayProxies, ProxyPort } from '../../infrastructure/index.ts';

/**
 * What is asked of proxies: a port for each that is bound, parameters, and their Gateway's marks and addresses. Those of
 * several Gateways cannot have the settings of each: the DataPlane of the class says what they are like.
 */
export function proxiesOf({ key, gatewayClass, members, irListeners, parameters }: ResolvedFleet): GatewayProxies {
  const ports = [...irListeners.values()].map(
    ({ bind, transport }): ProxyPort => ({ port: bind.port, protocol: transport === 'tcp' ? 'TCP' : 'UDP' }),
  );
  const [first] = members.values();
  const { metadata, spec } = (first as ResolvedGateway).object;
  const own = gatewayClass ? undefined : spec;
  return {
    ...parseObjectKey(key),
    uid: (gatewayClass ?? { metadata }).metadata.uid ?? '',
    ports,
    labels: own?.infrastructure?.labels ?? {},
    annotations: own?.infrastructure?.annotations ?? {},
    addresses: own?.addresses ?? [],
    parameters: parameters.spec,
  };
}
