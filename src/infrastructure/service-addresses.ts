import { isIP } from 'node:net';
import type { V1ServiceSpec } from '@kubernetes/client-node';
import { clusterRoutability, privateRoutability, publicRoutability, routabilityOf } from '../gateway-api/index.ts';
import type { InfrastructureSettings, LoadBalancerSettings, RequestedAddress } from './gateway-proxies.ts';
import type { PlacedProxies } from './placed-proxies.ts';
import { proxySettings } from './proxy-settings.ts';

/** What is asked of a Service, so that it is reached from where it should be, at the addresses that are asked for. */
export interface ServiceAddresses {
  readonly type: InfrastructureSettings['serviceType'];
  readonly spec: Pick<V1ServiceSpec, 'loadBalancerIP' | 'clusterIP' | 'clusterIPs'>;
  /** They stand over those of users, for a network that is private would not be so otherwise. */
  readonly annotations: Readonly<Record<string, string>>;
  /** GatewayStatusAddress.routability of the addresses that the Service has by its type; undefined: the platform's default. */
  readonly routability?: string | undefined;
  /** Why some of it cannot be asked for. */
  readonly problem?: string | undefined;
}

/** What the API server has of the Service; undefined while there is none. */
export type LiveService = Pick<V1ServiceSpec, 'clusterIP' | 'clusterIPs'> | undefined;

const noLoadBalancer: LoadBalancerSettings = { addressAnnotations: [], publicAnnotations: {} };

/**
 * The plan for the Service of some proxies. Each of `spec.addresses` that is of the cluster is a ClusterIP; all others are the load
 * balancer's. Source: Gateway API 1.7 GatewaySpecAddress, GEP-5093.
 */
export function serviceAddresses(
  gateway: PlacedProxies,
  settings: InfrastructureSettings,
  live: LiveService,
): ServiceAddresses {
  const { serviceType, parameters } = proxySettings(gateway.parameters ?? {}, settings);
  const { routability: scope, addresses = [] } = parameters.service ?? {};
  const base = scope && routabilityOf[scope];
  const own = gateway.addresses.map((address) => ({ ...address, routability: address.routability || base }));
  const asksForSome = own.some(({ value }) => value);
  const asked = asksForSome ? own : [...own, ...addresses.map((value) => ({ value, routability: base }))];
  const [inside, outside] = [asked.filter(isOfCluster), asked.filter((address) => !isOfCluster(address))];
  const cluster = clusterIpOf(valuesOf(inside), live);
  const isInside = asked.length > 0 && outside.length === 0;
  if (serviceType !== 'LoadBalancer' || isInside) {
    const type = isInside ? 'ClusterIP' : serviceType;
    const routability = base === clusterRoutability || isInside ? clusterRoutability : undefined;
    return { type, annotations: {}, routability, ...cluster };
  }
  const balanced = loadBalanced(outside, base, settings.loadBalancer ?? noLoadBalancer);
  const problem = [balanced.problem, cluster.problem].filter((each) => each !== undefined).join('; ') || undefined;
  return { ...balanced, spec: { ...cluster.spec, ...balanced.spec }, problem };
}

const isOfCluster = ({ routability }: RequestedAddress): boolean => routability === clusterRoutability;

const valuesOf = (addresses: readonly RequestedAddress[]): string[] =>
  addresses.flatMap(({ type = 'IPAddress', value = '' }) => (type === 'IPAddress' && isIP(value) ? [value] : []));

/** Kubernetes never changes the ClusterIP of a Service, and would reject all other changes with it. */
function clusterIpOf(values: readonly string[], live: LiveService): Pick<ServiceAddresses, 'spec' | 'problem'> {
  const [clusterIP] = values;
  if (clusterIP === undefined) return { spec: {} };
  if (live?.clusterIP === undefined) return { spec: { clusterIP, clusterIPs: [...values] } };
  const { clusterIPs = [live.clusterIP] } = live;
  const missing = values.filter((value) => !clusterIPs.includes(value));
  if (missing.length === 0) return { spec: { clusterIP: live.clusterIP, clusterIPs } };
  const problem = `the Service has ClusterIP ${clusterIPs.join(' and ')}, which Kubernetes does not change to ${missing.join(' and ')}: ask for that, or delete the Service`;
  return { spec: {}, problem };
}

/** One load balancer is private or public, and of both the narrower holds. */
function loadBalanced(
  addresses: readonly RequestedAddress[],
  base: string | undefined,
  settings: LoadBalancerSettings,
): ServiceAddresses {
  const scopes = [base, ...addresses.map(({ routability }) => routability)];
  const routability = [privateRoutability, publicRoutability].find((scope) => scopes.includes(scope));
  const { privateAnnotations, publicAnnotations } = settings;
  if (routability === privateRoutability && privateAnnotations === undefined) {
    const problem =
      'the configuration does not say how load balancers are private here (infrastructure.loadBalancer.privateAnnotations), so the Service has a ClusterIP alone: set it, or ask for another routability';
    return { type: 'ClusterIP', spec: {}, annotations: {}, routability: clusterRoutability, problem };
  }
  const marks =
    routability === undefined ? {} : routability === publicRoutability ? publicAnnotations : privateAnnotations;
  const suitable = addresses.filter((address) => [undefined, routability].includes(address.routability));
  const requested = requestOf(valuesOf(suitable), settings.addressAnnotations);
  return { ...requested, type: 'LoadBalancer', annotations: { ...requested.annotations, ...marks }, routability };
}

/** How load balancers are asked for these addresses. */
function requestOf(
  values: readonly string[],
  names: readonly string[],
): Pick<ServiceAddresses, 'spec' | 'annotations' | 'problem'> {
  if (values.length === 0) return { spec: {}, annotations: {} };
  if (names.length > 0) {
    return { spec: {}, annotations: Object.fromEntries(names.map((name) => [name, values.join(',')])) };
  }
  const [loadBalancerIP] = values;
  // Deprecated, but the one field that load balancers of all kinds understand.
  if (values.length === 1 && loadBalancerIP !== undefined) return { spec: { loadBalancerIP }, annotations: {} };
  const problem = `a load balancer is asked for one address here, and ${values.join(' and ')} are asked for: leave one of them, or name the annotation for several in the configuration (infrastructure.loadBalancer.addressAnnotations)`;
  return { spec: {}, annotations: {}, problem };
}
