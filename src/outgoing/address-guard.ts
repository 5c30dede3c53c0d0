import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { AddressRules } from '../egress/index.ts';
import { withoutBrackets } from '../std/index.ts';
import { OutgoingError } from './outgoing-error.ts';

export interface AddressGuardOptions {
  /** Whether servers on this machine may be called. */
  readonly allowLoopback: boolean;
  /** What addresses are judged by. Default: the table of egress alone, and what `outgoing.allowLoopback` opens. */
  readonly rules?: AddressRules;
}

/**
 * Decides which addresses may be called. A user who configures a server must not reach what only this machine can reach: metadata
 * services of clouds, its own link, and, unless allowed, itself.
 */
export class AddressGuard {
  readonly #rules: AddressRules;
  readonly #allowLoopback: boolean;
  /** What opens loopback. */
  readonly #advice: string;

  constructor({ allowLoopback, rules }: AddressGuardOptions) {
    this.#rules = rules ?? new AddressRules();
    this.#allowLoopback = allowLoopback;
    this.#advice = rules ? 'backends.allowedAddresses' : 'outgoing.allowLoopback: true';
  }

  /** Why an IP address is not called; undefined: it may be. */
  faultOf(address: string): string | undefined {
    const fault = this.#rules.faultOf(address);
    if (!fault) return undefined;
    if (fault.kind !== 'loopback') return `${address} is an address that is never called: ${fault.message}`;
    if (this.#allowLoopback) return undefined;
    return `${address} is this machine itself, which is called only with ${this.#advice}`;
  }

  /** Throws a `blocked` OutgoingError for a URL whose host is written as such an address. Names are looked at when they are resolved. */
  check(url: URL): void {
    const host = hostOf(url);
    const fault = isIP(host) === 0 ? undefined : this.faultOf(host);
    if (fault !== undefined) throw new OutgoingError('blocked', fault);
  }

  /**
   * Resolves a name for one connection. The addresses that were looked at are the ones that are connected to, so a name that changes
   * meanwhile gains nothing; one bad address among several is enough to reject.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const fault = addresses.map(({ address }) => this.faultOf(address)).find((each) => each !== undefined);
      if (fault !== undefined) return callback(new OutgoingError('blocked', `${hostname}: ${fault}`), '');
      const [first] = addresses;
      if (options.all) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}

/** Without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => withoutBrackets(hostname);
