import { isIP } from 'node:net';
import type { GatewayStatus, KubernetesObject, Service } from '../gateway-api/index.ts';
import type { ServiceEndpoints } from './proxy-endpoints.ts';
import type { ServiceAddresses } from './service-addresses.ts';
import { type WorkloadKind, workloadFacts } from './workload.ts';

/** How the proxies of one Gateway are. */
export interface InfrastructureState {
  readonly addresses: GatewayStatus['addresses'];
  /** ClusterIPs of the Service, whatever its type. */
  readonly clusterAddresses?: GatewayStatus['addresses'];
  /** From where `addresses` are reached; GatewayStatusAddress.routability. Undefined: as the platform has it. */
  readonly routability?: string;
  /** Why addresses that are asked for cannot be asked of the platform. */
  readonly addressProblem?: string;
  /** A proxy is available, all ports are open and the Gateway has an address. */
  readonly ready: boolean;
  /** What is missing, for people; empty when ready. */
  readonly message: string;
  /** What keeps the proxies from being as desired, also when some serve. */
  readonly problem?: string;
  /** Ports at which a proxy takes connections to the addresses, such as `TCP/80`. Undefined: the addresses are those of proxies that do. */
  readonly open?: readonly string[];
}

/** What the cluster knows of the proxies of one Gateway. */
export interface InfrastructureFacts {
  /** What runs the pods; its kind alone while there is none. */
  readonly workload: KubernetesObject | WorkloadKind;
  readonly service: KubernetesObject | undefined;
  /** What is behind the Service; undefined: it may not be read. */
  readonly endpoints: ServiceEndpoints | undefined;
  /** What kept us from making the objects. */
  readonly problem?: string | undefined;
  /** How the Service was asked for its addresses. */
  readonly asked?: Pick<ServiceAddresses, 'routability' | 'problem'> | undefined;
  /** Addresses of the nodes whose ports are bound by proxies that are ready, where they bind those. */
  readonly hosts?: readonly string[] | undefined;
}

/** The most addresses that a Gateway's status may have. */
const maxAddresses = 16;

/**
 * The state as the cluster reports it. Addresses are the load balancer's, or the Service's own where no load balancer is
 * asked for; where proxies bind their ports on nodes, those of the nodes.
 *
 * A port is open when the Service has a ready endpoint for it: a pod is ready when its agent has seen Envoy bind all listeners. What
 * remains is the time in which kube-proxy, or a load balancer in front of it, takes over an endpoint that they hear of when we do. They
 * do not report when they have.
 */
export function stateOf(facts: InfrastructureFacts): InfrastructureState {
  const { workload, service, endpoints, problem, hosts, asked } = facts;
  const addresses = hosts ? hosts.slice(0, maxAddresses).map(address) : addressesOf(service as Service | undefined);
  const obstacle = problem ?? stuckRollout(workload);
  const missing = missingProxy(workload);
  const open = hosts ? undefined : openPorts(endpoints, missing);
  const message =
    obstacle ?? missing ?? missingAddress(service, addresses, hosts) ?? closedPorts(service as Service, open) ?? '';
  const clusterAddresses = clusterAddressesOf(service as Service | undefined);
  return {
    addresses,
    ...(clusterAddresses.length > 0 && { clusterAddresses }),
    ...(asked?.routability && !hosts && { routability: asked.routability }),
    ...(asked?.problem && { addressProblem: asked.problem }),
    ready: message === '',
    message,
    ...(obstacle !== undefined && { problem: obstacle }),
    ...(open && { open }),
  };
}

/** Without a right to EndpointSlices an available pod has to do for all ports. */
const openPorts = (endpoints: ServiceEndpoints | undefined, missing: string | undefined) =>
  endpoints?.open ?? (missing === undefined ? undefined : []);

/** Where the Service can be reached: its load balancer's addresses, or its own where it asks for no load balancer. */
export function addressesOf(service: Service | undefined): GatewayStatus['addresses'] {
  if (service === undefined) return [];
  if (service.spec.type !== 'LoadBalancer') return clusterAddressesOf(service);
  const ingress = service.status?.loadBalancer?.ingress ?? [];
  return ingress
    .map(({ ip, hostname }) => ip ?? hostname)
    .filter(isAddress)
    .map(address);
}

function clusterAddressesOf(service: Service | undefined): GatewayStatus['addresses'] {
  const { clusterIP, clusterIPs = [clusterIP] } = service?.spec ?? {};
  return clusterIPs.filter(isAddress).map(address);
}

const isAddress = (value: string | undefined): value is string =>
  value !== undefined && value !== '' && value !== 'None';

const address = (value: string): GatewayStatus['addresses'][number] => ({
  type: isIP(value) ? 'IPAddress' : 'Hostname',
  value,
});

function missingProxy(workload: InfrastructureFacts['workload']): string | undefined {
  if (typeof workload === 'string') return `the ${workload} of the proxies does not exist yet`;
  const { desired, available, rejected } = workloadFacts(workload);
  if (available > 0) return undefined;
  const what = `${workload.kind} ${workload.metadata.name}`;
  if (desired === 0)
    return workload.kind === 'DaemonSet' ? `no node has a pod of ${what} yet` : `${what} has 0 replicas`;
  return `no pod of ${what} is available${rejected ? `: ${rejected}` : ' yet'}`;
}

/** New pods do not get ready, while old ones go on serving. */
function stuckRollout(workload: InfrastructureFacts['workload']): string | undefined {
  const stuck = typeof workload === 'string' ? undefined : workloadFacts(workload).stuck;
  return stuck && `Deployment ${(workload as KubernetesObject).metadata.name} does not get on: ${stuck}`;
}

function missingAddress(
  service: KubernetesObject | undefined,
  addresses: readonly unknown[],
  hosts: readonly string[] | undefined,
): string | undefined {
  if (addresses.length > 0) return undefined;
  if (hosts) return 'no node has a proxy that is ready yet';
  if (service === undefined) return 'the Service of the proxies does not exist yet';
  return `Service ${service.metadata.name} waits for an address from the load balancer`;
}

function closedPorts(service: Service | undefined, open: readonly string[] | undefined): string | undefined {
  if (service === undefined || open === undefined) return undefined;
  const ports = (service.spec.ports ?? []).map(({ port, protocol = 'TCP' }) => `${protocol}/${port}`);
  const closed = ports.filter((port) => !open.includes(port));
  return closed.length === 0
    ? undefined
    : `no pod behind Service ${service.metadata.name} is ready for ${closed.join(', ')}`;
}
