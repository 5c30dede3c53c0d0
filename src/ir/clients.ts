import type { ValueMatch } from './route-match.ts';

/** A network: an address with its host bits 0, and how many leading bits count. */
export interface Cidr {
  readonly address: string;
  readonly prefixLength: number;
}

/**
 * Where the client's address is by the proxy's databases: all that is there must hold, and something is. An address that they do not have is nowhere. Without the database
 * that it takes, a condition lets no request in: where it would allow one it does not hold, and where it would deny one it does.
 */
export interface ClientLocation {
  /** ISO 3166-1, in capitals. */
  readonly country?: string;
  /** What follows the country in ISO 3166-2, in capitals. */
  readonly region?: string;
  /** In English. */
  readonly city?: string;
  /** Number of an autonomous system. */
  readonly asn?: number;
}

/** By the client's address, as seen behind the listener's trusted hops. */
export interface ClientIPs {
  /** Undefined: every address. Empty: none. */
  readonly allow?: readonly Cidr[];
  /** Goes before `allow`. */
  readonly deny: readonly Cidr[];
}

/** By the certificate of the client's connection, which the listener has verified. */
export interface ClientCertificates {
  /** Any of them; undefined: whatever the certificate says. */
  readonly names?: readonly CertificateName[];
}

/** What of a certificate is compared: one of its subject alternative names, or its whole subject as in RFC 2253. */
export interface CertificateName {
  readonly kind: 'dns' | 'uri' | 'email' | 'ip' | 'subject';
  /** Of an email address, an IP address and a subject always exact. */
  readonly match: ValueMatch;
}
