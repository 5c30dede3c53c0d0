import { BlockList, isIP, isIPv4 } from 'node:net';
import { type EmbeddedAddress, embeddedAddresses, withoutZone } from './embedded-addresses.ts';
import { type AddressKind, type ForbiddenRange, forbiddenRanges } from './ranges.ts';

/** Why an address may not be reached. */
export interface AddressFault {
  /** `own`: of this proxy, or of the control plane. */
  readonly kind: AddressKind | 'own';
  /** "127.0.0.1, a loopback address". */
  readonly message: string;
}

export interface AddressRulesOptions {
  /** Addresses and ranges in CIDR notation that may be reached all the same. Throws TypeError for what is neither. */
  readonly allowed?: readonly string[];
  /** What else may not be, as of now, and what to call it. */
  readonly own?: () => ReadonlyMap<string, string>;
  /** Ranges beside the table. */
  readonly further?: readonly ForbiddenRange[];
}

/** Decides which IP addresses names of users may lead to. */
export class AddressRules {
  /** As it was given. */
  readonly allowed: readonly string[];
  readonly #allowed: BlockList;
  readonly #own: () => ReadonlyMap<string, string>;
  readonly #checks: readonly Check[];

  constructor({ allowed = [], own = () => new Map(), further = [] }: AddressRulesOptions = {}) {
    this.allowed = allowed;
    this.#allowed = rangesOf(allowed);
    this.#own = own;
    this.#checks = [...checks, ...further.map(checkOf)];
  }

  /**
   * Why an address, in its standard spelling (`readAddress`), may not be reached; undefined: it may. An IPv6 address that stands for one of
   * IPv4 is judged as that one as well. What is no address may not be reached either.
   */
  faultOf(address: string): AddressFault | undefined {
    const plain = withoutZone(address);
    if (isIP(plain) === 0) return { kind: 'reserved', message: `${address}, which is no IP address` };
    if (this.allows(plain)) return undefined;
    const itself = this.#faultOfOne(plain);
    return itself ?? firstOf(embeddedAddresses(plain), (embedded) => this.#faultOfEmbedded(plain, embedded));
  }

  /** Whether the operator opened the address, which is in its standard spelling. */
  allows(address: string): boolean {
    return contains(this.#allowed, address);
  }

  #faultOfEmbedded(address: string, { address: inner, form, uncertain }: EmbeddedAddress): AddressFault | undefined {
    if (this.allows(inner)) return undefined;
    const fault = this.#faultOfOne(inner);
    if (!fault || (uncertain && !dangerous.has(fault.kind))) return undefined;
    return { kind: fault.kind, message: `${address}, which stands for ${fault.message} (${form})` };
  }

  #faultOfOne(address: string): AddressFault | undefined {
    const found = this.#checks.find(({ list }) => contains(list, address))?.entry;
    if (found) return { kind: found.kind, message: `${address}, a ${found.name}`.replace(/, a (?=[aeiou])/, ', an ') };
    const owner = this.#own().get(address);
    return owner === undefined ? undefined : { kind: 'own', message: `${address}, ${owner}` };
  }
}

/** A form that is only one of several possible counts where it would lead to something that is worth reaching. */
const dangerous = new Set<AddressFault['kind']>(['loopback', 'link-local', 'metadata', 'own', 'private']);

/** Whether a text is an address or a range in CIDR notation. */
export function isAddressRange(text: string): boolean {
  try {
    rangesOf([text]);
    return true;
  } catch {
    return false;
  }
}

function rangesOf(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = '', length, ...more] = text.split('/');
    const most = isIPv4(address) ? 32 : 128;
    const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
    if (isIP(address) === 0 || more.length > 0 || !(bits <= most))
      throw new TypeError(`${JSON.stringify(text)} is no IP address and no range such as 10.0.0.0/8`);
    list.addSubnet(address, bits, isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** `BlockList` finds an IPv4-mapped address in ranges of IPv4 by itself; that is left to `embeddedAddresses`, which says how. */
const contains = (list: BlockList, address: string): boolean => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

interface Check {
  readonly entry: ForbiddenRange;
  readonly list: BlockList;
}

const checkOf = (entry: ForbiddenRange): Check => ({ entry, list: rangesOf([entry.range]) });

const checks: readonly Check[] = forbiddenRanges.map(checkOf);

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
