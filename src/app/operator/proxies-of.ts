import { type DataPlaneSpec, parseObjectKey } from '../../gateway-api/index.ts';
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
    addresses: own ? (own.addresses ?? []) : sharedRequest(members, parameters.spec),
    parameters: parameters.spec,
  };
}

/** Of Gateways that share proxies, the oldest one that asks for addresses, where the class lets Gateways ask. From where they are reached is up to the class. */
function sharedRequest(
  members: ResolvedFleet['members'],
  spec: DataPlaneSpec | undefined,
): GatewayProxies['addresses'] {
  if (spec?.shared?.addressesFrom !== 'Gateways' || spec.service?.addresses) return [];
  for (const { object } of members.values()) {
    const asked = (object.spec.addresses ?? []).filter(({ value, routability }) => value && !routability);
    if (asked.length > 0) return asked;
  }
  return [];
}
