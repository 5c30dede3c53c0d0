import {
  clusterRoutability,
  type GatewayStatus,
  type ObjectByKind,
  privateRoutability,
  publicRoutability,
  routabilities,
} from '../../gateway-api/index.ts';
import type { DataPlaneState } from '../model/index.ts';

type Gateway = ObjectByKind['Gateway'];
type Requested = NonNullable<Gateway['spec']['addresses']>[number];
type Assigned = GatewayStatus['addresses'][number];

/** Which of the addresses that there are each entry of `spec.addresses` has. */
export interface AssignedAddresses {
  /** Those of the status. */
  readonly addresses: readonly Assigned[];
  /** Entries without an address. */
  readonly unassigned: readonly Requested[];
}

/**
 * Gives each entry an address of its own: first to those that ask for one by value, last to those that take any. Without entries the
 * Gateway has all addresses of its proxies. Source: Gateway API 1.7 GatewaySpec.addresses, GEP-5093.
 */
export function assignAddresses({ spec }: Gateway, state: DataPlaneState | undefined): AssignedAddresses {
  const { addresses: requested = [] } = spec;
  const { addresses = [] } = state ?? {};
  if (requested.length === 0) return { addresses, unassigned: [] };
  const taken = new Set<string>();
  const assigned = new Map<Requested, readonly Assigned[]>();
  for (const entry of [...requested].sort((a, b) => freedom(a) - freedom(b))) {
    const found = candidatesFor(entry, state).filter(({ value }) => !taken.has(value));
    const own = takesAll(entry) ? found : found.slice(0, 1);
    for (const { value } of own) taken.add(value);
    assigned.set(entry, own);
  }
  const unassigned = requested.filter((entry) => assigned.get(entry)?.length === 0);
  const isScoped = requested.some(({ routability }) => routability !== undefined);
  const own = requested.flatMap((entry) =>
    (assigned.get(entry) ?? []).map((address) => shown(address, entry, isScoped)),
  );
  // Clients know where the Gateway is, whatever it asks for now. With a scope, an address of another one must not be shown.
  return { addresses: unassigned.length > 0 && !isScoped ? addresses : own, unassigned };
}

/** How many addresses would do for the entry: it is served in this order. */
const freedom = (entry: Requested): number => (entry.value ? 0 : takesAll(entry) ? 2 : 1);

/** All that are left, of both families for example, as before entries had a scope. */
const takesAll = ({ value, routability }: Requested): boolean => !value && !routability;

function candidatesFor(entry: Requested, state: DataPlaneState | undefined): readonly Assigned[] {
  const { type = 'IPAddress', value, routability } = entry;
  const reached = reachedFrom(routability, state);
  if (value) return reached.filter((address) => address.type === type && isSame(address.value, value));
  return takesAll(entry) && type === 'IPAddress' ? reached : reached.filter((address) => address.type === type);
}

function reachedFrom(scope: string | undefined, state: DataPlaneState | undefined): readonly Assigned[] {
  if (scope === clusterRoutability) return state?.clusterAddresses ?? [];
  return !scope || scope === state?.routability ? (state?.addresses ?? []) : [];
}

/** A standard channel has no place for the scope, so it is said only to those who ask by it. */
function shown({ type, value, routability }: Assigned, entry: Requested, isScoped: boolean): Assigned {
  return isScoped ? { type, value, routability: entry.routability || routability || '' } : { type, value };
}

/** Zeros of IPv6 addresses are written in several ways. */
const isSame = (a: string, b: string): boolean => a === b || (a.includes(':') && canonical(a) === canonical(b));

const canonical = (ip: string): string => (URL.canParse(`http://[${ip}]/`) ? new URL(`http://[${ip}]/`).hostname : ip);

/** An entry in words. */
export function describeRequest({ type = 'IPAddress', value, routability }: Requested): string {
  const what = value || (type === 'IPAddress' ? 'any IP address' : `any address of type ${type}`);
  return routability ? `${what} of routability ${routability}` : what;
}

/** What to do about an entry with a scope that is not known here; undefined: it is. */
export function unknownRoutability(entries: readonly Requested[]): string | undefined {
  const scope = entries.find(({ routability }) => routability && !routabilities.includes(routability))?.routability;
  return (
    scope &&
    `routability ${scope} is not known here: use ${clusterRoutability}, ${privateRoutability} or ${publicRoutability}`
  );
}
