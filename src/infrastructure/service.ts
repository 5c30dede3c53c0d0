import type { V1ServicePort, V1ServiceSpec } from '@kubernetes/client-node';
import type { DataPlaneSpec } from '../gateway-api/index.ts';
import type { InfrastructureSettings, ProxyPort } from './gateway-proxies.ts';
import { type ProxyObject, proxyObject } from './object.ts';
import type { PlacedProxies } from './placed-proxies.ts';
import { proxySettings } from './proxy-settings.ts';
import { type LiveService, serviceAddresses } from './service-addresses.ts';

type ServiceParameters = NonNullable<DataPlaneSpec['service']>;

/**
 * The Service that gives the Gateway its address. Undefined for a Gateway without a port, since a Service must have one. `live`: what
 * the API server has of it.
 */
export function serviceOf(
  gateway: PlacedProxies,
  settings: InfrastructureSettings,
  live?: LiveService,
): ProxyObject | undefined {
  const { ipFamily, parameters } = proxySettings(gateway.parameters ?? {}, settings);
  const { service = {} } = parameters;
  const { type, spec: requested, annotations: required } = serviceAddresses(gateway, settings, live);
  const ports = servicePorts(gateway.ports, type === 'ClusterIP' ? [] : service.nodePorts);
  if (ports.length === 0) return undefined;
  const spec: V1ServiceSpec = {
    type,
    selector: gateway.place.selector,
    ports,
    ...requested,
    ...families(ipFamily),
    ...distribution(service),
    ...fieldsOfType(service, type),
  };
  const { labels, annotations } = service;
  return proxyObject('Service', gateway, { spec }, { labels, annotations, required });
}

const distribution = ({ internalTrafficPolicy, trafficDistribution, sessionAffinity }: ServiceParameters) => ({
  ...(internalTrafficPolicy && { internalTrafficPolicy }),
  ...(trafficDistribution && { trafficDistribution }),
  ...(sessionAffinity && { sessionAffinity }),
});

/** A cluster of one family makes a Service of one where two are only preferred. */
function families(family: InfrastructureSettings['ipFamily']): Partial<V1ServiceSpec> {
  if (family === undefined) return {};
  if (family === 'DualStack') return { ipFamilyPolicy: 'PreferDualStack' };
  return { ipFamilyPolicy: 'SingleStack', ipFamilies: [family] };
}

/** What the API server takes for some types only: the type may be the Gateway's, and the rest its class's. */
function fieldsOfType(
  {
    externalTrafficPolicy,
    loadBalancerClass,
    loadBalancerSourceRanges,
    allocateLoadBalancerNodePorts: nodePorts,
  }: ServiceParameters,
  type: string,
): Partial<V1ServiceSpec> {
  return {
    ...(type === 'LoadBalancer' && nodePorts !== undefined && { allocateLoadBalancerNodePorts: nodePorts }),
    ...(type !== 'ClusterIP' && externalTrafficPolicy && { externalTrafficPolicy }),
    ...(type === 'LoadBalancer' && loadBalancerClass && { loadBalancerClass }),
    ...(type === 'LoadBalancer' &&
      loadBalancerSourceRanges && { loadBalancerSourceRanges: [...loadBalancerSourceRanges] }),
  };
}

/** Listeners of one port and protocol share it. In order, so that the order of listeners changes nothing. */
function servicePorts(ports: readonly ProxyPort[], nodePorts: ServiceParameters['nodePorts'] = []): V1ServicePort[] {
  const nodePortOf = ({ port, protocol }: ProxyPort) =>
    nodePorts.find((entry) => entry.port === port && (entry.protocol ?? 'TCP') === protocol)?.nodePort;
  const distinct = new Map(ports.map((port) => [`${port.protocol.toLowerCase()}-${port.port}`, port]));
  return [...distinct]
    .sort(([, a], [, b]) => a.port - b.port || a.protocol.localeCompare(b.protocol))
    .map(([name, listener]) => {
      const { port, protocol } = listener;
      const nodePort = nodePortOf(listener);
      return { name, port, protocol, targetPort: port, ...(nodePort !== undefined && { nodePort }) };
    });
}
