import { isIP } from 'node:net';
import type { V1DeploymentStatus } from '@kubernetes/client-node';
import type { GatewayStatus, KubernetesObject, Service } from '../gateway-api/index.ts';

/** How the proxies of one Gateway are. */
export interface InfrastructureState {
  readonly addresses: GatewayStatus['addresses'];
  /** A proxy is available and the Gateway has an address. */
  readonly ready: boolean;
  /** What is missing, for people; empty when ready. */
  readonly message: string;
  /** What keeps the proxies from being as desired, also when some serve. */
  readonly problem?: string;
}

/** The most addresses that a Gateway's status may have. */
const maxAddresses = 16;

/**
 * The state as the cluster reports it. Addresses are the load balancer's, or the Service's own where no load balancer is
 * asked for; where proxies bind their ports on nodes, those of the nodes. `problem` is what kept us from making the
 * objects.
 */
export function stateOf(
  deployment: KubernetesObject | undefined,
  service: KubernetesObject | undefined,
  problem: string | undefined,
  hosts?: readonly string[],
): InfrastructureState {
  const addresses = hosts ? hosts.slice(0, maxAddresses).map(address) : addressesOf(service as Service | undefined);
  const obstacle = problem ?? stuckRollout(deployment);
  const message = obstacle ?? missingProxy(deployment) ?? missingAddress(service, addresses, hosts) ?? '';
  return { addresses, ready: message === '', message, ...(obstacle !== undefined && { problem: obstacle }) };
}

/** Where the Service can be reached: its load balancer's addresses, or its own where it asks for no load balancer. */
export function addressesOf(service: Service | undefined): GatewayStatus['addresses'] {
  if (service === undefined) return [];
  if (service.spec.type !== 'LoadBalancer') return [service.spec.clusterIP].filter(isAddress).map(address);
  const ingress = service.status?.loadBalancer?.ingress ?? [];
  return ingress
    .map(({ ip, hostname }) => ip ?? hostname)
    .filter(isAddress)
    .map(address);
}

const isAddress = (value: string | undefined): value is string =>
  value !== undefined && value !== '' && value !== 'None';

const address = (value: string): GatewayStatus['addresses'][number] => ({
  type: isIP(value) ? 'IPAddress' : 'Hostname',
  value,
});

function missingProxy(deployment: KubernetesObject | undefined): string | undefined {
  if (deployment === undefined) return 'the Deployment of the proxies does not exist yet';
  const { availableReplicas = 0, conditions = [] } = (deployment.status ?? {}) as V1DeploymentStatus;
  if (availableReplicas > 0) return undefined;
  const failure = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  return `no pod of Deployment ${deployment.metadata.name} is available${failure?.message ? `: ${failure.message}` : ' yet'}`;
}

/** New pods do not get ready, while old ones go on serving. Source: DeploymentProgressing, ProgressDeadlineExceeded. */
function stuckRollout(deployment: KubernetesObject | undefined): string | undefined {
  const { conditions = [] } = (deployment?.status ?? {}) as V1DeploymentStatus;
  const stuck = conditions.find(({ type, status }) => type === 'Progressing' && status === 'False');
  return stuck && `Deployment ${deployment?.metadata.name} does not get on: ${stuck.message ?? stuck.reason}`;
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
