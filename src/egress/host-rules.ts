import { type AddressFault, AddressRules } from './address-rules.ts';
import { forbiddenNames } from './ranges.ts';
import { plainName, readAddress } from './read-address.ts';

export const defaultClusterDomain = 'cluster.local';

/** What backends that users name are held against. */
export interface HostRules {
  readonly addresses: AddressRules;
  /** No policy may have proxies accept whatever certificate a backend shows. */
  readonly requiresVerification: boolean;
  /** How endpoint pickers are asked whose pool does not say it. */
  readonly endpointPickerMode: string;
  /** What names of the cluster's own DNS end with, in small letters. */
  readonly clusterDomain: string;
}

/** The rules of a configuration; without one, those that hold by default. Throws TypeError for what is no address. */
export const hostRules = ({
  allowedAddresses,
  clusterDomain = defaultClusterDomain,
  tlsVerification = 'Optional',
  endpointPickerMode = 'FullDuplex',
}: {
  readonly allowedAddresses?: readonly string[] | undefined;
  readonly clusterDomain?: string | undefined;
  readonly tlsVerification?: 'Required' | 'Optional' | undefined;
  readonly endpointPickerMode?: string | undefined;
} = {}): HostRules => ({
  addresses: new AddressRules(allowedAddresses && { allowed: allowedAddresses }),
  clusterDomain: plainName(clusterDomain),
  requiresVerification: tlsVerification === 'Required',
  endpointPickerMode,
});

/** Why a name may not be called, as far as the name itself says it. */
export interface HostFault {
  readonly kind: AddressFault['kind'] | 'cluster';
  /** "127.0.0.1, a loopback address". */
  readonly message: string;
}

/**
 * Why requests may not be sent to what a user wrote as a host; undefined: they may, as far as can be known before it is resolved.
 * `namespace` is the one of the object that names the host. Services of other namespaces are reached by reference only, because DNS
 * checks no grant.
 */
export function hostFault(
  host: string,
  namespace: string,
  { addresses, clusterDomain }: HostRules,
): HostFault | undefined {
  const address = readAddress(host);
  if (address !== undefined) return addresses.faultOf(address);
  const name = plainName(host);
  return nameFault(name, addresses) ?? clusterFault(name, namespace, clusterDomain);
}

/** A name of this machine is fine where the machine's own addresses are. */
function nameFault(name: string, addresses: AddressRules): HostFault | undefined {
  const found = forbiddenNames.find((each) => isBelow(name, each.name));
  if (!found) return undefined;
  const stands = addresses.faultOf(found.why === 'the machine itself' ? '127.0.0.1' : '169.254.169.254');
  return stands && { kind: stands.kind, message: `${name}, which is ${found.why}` };
}

function clusterFault(name: string, namespace: string, clusterDomain: string): HostFault | undefined {
  if (!isClusterName(name, clusterDomain)) return undefined;
  const rest = name.endsWith(`.${clusterDomain}`) ? name.slice(0, -clusterDomain.length - 1) : name;
  const [kind, owner] = rest.split('.').reverse();
  if (kind === 'svc' && owner === namespace) return undefined;
  return { kind: 'cluster', message: `${name}, a name of the cluster outside of namespace ${namespace}` };
}

/** Whether a name is one that the cluster's own DNS gives to Services and Pods. `name` is as of plainName. */
export const isClusterName = (name: string, clusterDomain: string): boolean =>
  isBelow(name, clusterDomain) || isBelow(name, 'svc');

/** Whether a name is another, or below it. */
export const isBelow = (name: string, parent: string): boolean => name === parent || name.endsWith(`.${parent}`);
