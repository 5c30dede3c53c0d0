import { isIP } from 'node:net';
import type { V1ServicePort, V1ServiceSpec } from '@kubernetes/client-node';
import type { GatewayProxies, InfrastructureSettings, ProxyPort } from './gateway-proxies.ts';
import { selectorOf } from './names.ts';
import { type ProxyObject, proxyObject } from './object.ts';

/**
 * The Service that gives the Gateway its address. Undefined for a Gateway without a port, since a Service must have one.
 */
export function serviceOf(gateway: GatewayProxies, { serviceType }: InfrastructureSettings): ProxyObject | undefined {
  const ports = servicePorts(gateway.ports);
  if (ports.length === 0) return undefined;
  const loadBalancerIP = serviceType === 'LoadBalancer' ? requestedIp(gateway) : undefined;
  const spec: V1ServiceSpec = {
    type: serviceType,
    selector: selectorOf(gateway.name),
    ports,
    // Deprecated, but the one field that load balancers of all kinds understand.
    ...(loadBalancerIP !== undefined && { loadBalancerIP }),
  };
  return proxyObject('Service', gateway, { spec });
}

/** Listeners of one port and protocol share it. In order, so that the order of listeners changes nothing. */
function servicePorts(ports: readonly ProxyPort[]): V1ServicePort[] {
  const distinct = new Map(ports.map((port) => [`${port.protocol.toLowerCase()}-${port.port}`, port]));
  return [...distinct]
    .sort(([, a], [, b]) => a.port - b.port || a.protocol.localeCompare(b.protocol))
    .map(([name, { port, protocol }]) => ({ name, port, protocol, targetPort: port }));
}

function requestedIp({ addresses }: GatewayProxies): string | undefined {
  const [address, ...others] = addresses.filter(({ value }) => value !== undefined && value !== '');
  const isOneIp =
    others.length === 0 && (address?.type ?? 'IPAddress') === 'IPAddress' && isIP(address?.value ?? '') !== 0;
  return isOneIp ? address?.value : undefined;
}
