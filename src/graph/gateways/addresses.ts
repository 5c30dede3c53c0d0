import { isIP } from 'node:net';
import type { GatewayStatus, ObjectByKind } from '../../gateway-api/index.ts';
import { allListeners, type ConditionFault, type DataPlaneState, type ResolvedGateway } from '../model/index.ts';

type Gateway = ObjectByKind['Gateway'];

/** The addresses that the Gateway asks for by value; one without a value may be any. Source: GatewaySpec.addresses. */
const requestedAddressesOf = ({ spec }: Gateway): readonly string[] =>
  (spec.addresses ?? []).flatMap(({ value }) => (value ? [value] : []));

/** Why the Gateway's addresses cannot be ours, whatever assigns them. Source: GatewayReasonUnsupportedAddress. */
export function unsupportedAddress({ spec }: Gateway): ConditionFault | undefined {
  const type = spec.addresses?.find((address) => (address.type ?? 'IPAddress') !== 'IPAddress')?.type;
  if (type === undefined) return malformedAddress(spec);
  const message = `Addresses of type ${type} are not supported: use type IPAddress, or leave out spec.addresses`;
  return { reason: 'UnsupportedAddress', message };
}

function malformedAddress({ addresses = [] }: Gateway['spec']): ConditionFault | undefined {
  const value = addresses.find((address) => address.value && isIP(address.value) === 0)?.value;
  if (value === undefined) return undefined;
  return { reason: 'UnsupportedAddress', message: `${JSON.stringify(value)} in spec.addresses is not an IP address` };
}

/** Why the Gateway does not have the addresses it asks for. Source: GatewayReasonAddressNotUsable, GatewayReasonAddressNotAssigned. */
export function addressFault(
  gateway: Gateway,
  assigned: GatewayStatus['addresses'],
  missing: string | undefined,
): ConditionFault | undefined {
  const all = requestedAddressesOf(gateway);
  if (all.length > 1) {
    const message = `A Gateway has one address here, and spec.addresses asks for ${all.join(' and ')}: leave one of them`;
    return { reason: 'AddressNotUsable', message };
  }
  const [requested] = all;
  if (assigned.length === 0) {
    const message = missing || 'No address has been assigned yet';
    return {
      reason: 'AddressNotAssigned',
      message: requested ? `${message} (spec.addresses asks for ${requested})` : message,
    };
  }
  if (requested === undefined || assigned.some(({ value }) => value === requested)) return undefined;
  const got = assigned.map(({ value }) => value).join(', ');
  const message = `spec.addresses asks for ${requested}, and ${got} was assigned: ask for that, or for none`;
  return { reason: 'AddressNotUsable', message };
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
