import { isIP } from 'node:net';
import { type Condition, clusterRoutability, type ObjectByKind } from '../../gateway-api/index.ts';
import {
  allListeners,
  type ConditionFault,
  conditionOf,
  type DataPlaneState,
  type ResolvedGateway,
} from '../model/index.ts';
import { type AssignedAddresses, assignAddresses, describeRequest, unknownRoutability } from './assigned-addresses.ts';

type Gateway = ObjectByKind['Gateway'];

const types: readonly string[] = ['IPAddress', 'Hostname'];

/** Why the Gateway's addresses cannot be ours, whatever assigns them. Source: GatewayReasonUnsupportedAddress. */
export function unsupportedAddress({ spec }: Gateway): ConditionFault | undefined {
  const type = spec.addresses?.find((address) => !types.includes(address.type ?? 'IPAddress'))?.type;
  if (type === undefined) return malformedAddress(spec);
  const message = `Addresses of type ${type} are not supported: use type IPAddress or Hostname, or leave out spec.addresses`;
  return { reason: 'UnsupportedAddress', message };
}

function malformedAddress({ addresses = [] }: Gateway['spec']): ConditionFault | undefined {
  const value = addresses.find(({ type, value }) => value && type !== 'Hostname' && isIP(value) === 0)?.value;
  if (value === undefined) return undefined;
  return { reason: 'UnsupportedAddress', message: `${JSON.stringify(value)} in spec.addresses is not an IP address` };
}

/** Why the Gateway does not have the addresses it asks for. Source: GatewayReasonAddressNotUsable, GatewayReasonAddressNotAssigned. */
export function addressFault(gateway: Gateway, state: DataPlaneState | undefined): ConditionFault | undefined {
  const { unassigned } = assignAddresses(gateway, state);
  const { addresses = [], clusterAddresses = [], addressProblem } = state ?? {};
  const ofCluster = unassigned.some(({ routability }) => routability === clusterRoutability);
  if (addressProblem === undefined && addresses.length === 0 && !(ofCluster && clusterAddresses.length > 0)) {
    const isMissing = unassigned.length > 0 || (gateway.spec.addresses ?? []).length === 0;
    return isMissing ? unassignedFault(unassigned, state?.message) : undefined;
  }
  const why = addressProblem ?? unknownRoutability(unassigned);
  if (unassigned.length === 0) return why === undefined ? undefined : { reason: 'AddressNotUsable', message: why };
  const got = [...addresses, ...(ofCluster ? clusterAddresses : [])].map(({ value }) => value);
  const asked = `spec.addresses asks for ${unassigned.map(describeRequest).join(' and ')}`;
  const message = why
    ? `${asked}: ${why}`
    : `${asked}, and ${[...new Set(got)].join(', ')} was assigned: ask for that, or for none`;
  return { reason: 'AddressNotUsable', message };
}

function unassignedFault(unassigned: AssignedAddresses['unassigned'], missing: string | undefined): ConditionFault {
  const message = missing || 'No address has been assigned yet';
  const requested = unassigned.filter(({ value, routability }) => value || routability).map(describeRequest);
  return {
    reason: 'AddressNotAssigned',
    message: requested.length > 0 ? `${message} (spec.addresses asks for ${requested.join(' and ')})` : message,
  };
}

/** Whether each entry of `spec.addresses` has its address, once that is known. Source: GatewayConditionAddressesAssigned. */
export function addressesCondition(
  gateway: Gateway,
  generation: number,
  state: DataPlaneState | undefined,
): Condition[] {
  const { addresses: requested = [] } = gateway.spec;
  if (requested.length === 0 || state === undefined) return [];
  const { unassigned } = assignAddresses(gateway, state);
  const reason = unassigned.length === requested.length ? 'NotAssigned' : 'PartiallyAssigned';
  const message = `Without an address: ${unassigned.map(describeRequest).join(', ')}`;
  return [conditionOf('AddressesAssigned', generation, unassigned.length > 0 ? { reason, message } : undefined)];
}

/** Why clients cannot connect to the addresses yet, although there are some. Source: GatewayReasonPending. */
export function closedFault(
  gateway: ResolvedGateway,
  dataPlane: DataPlaneState | undefined,
): ConditionFault | undefined {
  const { open, message = '' } = dataPlane ?? {};
  if (open === undefined) return undefined;
  // Those of others that share the proxies are not this Gateway's.
  const served = allListeners(gateway).filter(({ serves }) => serves);
  const ports = new Set(served.map(({ protocol, port }) => `${protocol === 'UDP' ? 'UDP' : 'TCP'}/${port}`));
  const closed = [...ports].filter((port) => !open.includes(port));
  if (closed.length === 0) return undefined;
  const why = open.length === 0 && message ? message : `no proxy that is ready has ${closed.join(', ')} open`;
  return { reason: 'Pending', message: `Clients cannot connect yet: ${why}` };
}
