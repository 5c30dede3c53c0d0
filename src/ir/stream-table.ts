import type { Map as ImmutableMap } from 'immutable';
import type { Cidr, ClientCertificates } from './clients.ts';

/** One share of a host's connections, or of its UDP sessions. */
export interface StreamShare {
  /** Key of an ir.Backend; undefined when the reference is invalid: the share's connections are closed, its datagrams dropped. */
  readonly backend?: string;
  /** Above zero. */
  readonly weight: number;
}

/** Whose connections of a host are taken. All others are closed before anything is done for them. */
export interface StreamSources {
  /** None of them is in one of `deny`; no network twice. Empty: no client. */
  readonly allow: readonly Cidr[];
  /** No network twice. The narrower one counts, which may be in one that is allowed. */
  readonly deny: readonly Cidr[];
}

/** Where connections of one host go, as bytes. */
export interface StreamHost {
  /** An SNI name in lower case, `*.suffix`, or `*`: every other name and clients without one; without SNI always `*`. */
  readonly host: string;
  /** `tlsroute/NAMESPACE/NAME`: who is behind it. Undefined when no route is. */
  readonly source?: string;
  /** At least one of them has a backend; or empty: connections are closed, datagrams dropped. */
  readonly shares: readonly StreamShare[];
  /** Undefined: every client. Of hosts of UDP there is none. */
  readonly sources?: StreamSources;
  /** Others fail the handshake. It is there only where TLS ends and clients are asked for certificates; no name is a subject. */
  readonly certificates?: ClientCertificates;
  /** Connections that are silent for so long are closed; undefined: after an hour. Of hosts of UDP there is none. */
  readonly idleMs?: number;
}

/**
 * All hosts behind one ir.StreamChain, by host. The chain's own host is always among them, so that none of its
 * connections is taken for another chain's.
 */
export interface StreamTable {
  /** `tls/443/LISTENER`, `tcp/9000/LISTENER`, `udp/53/LISTENER` */
  readonly id: string;
  readonly hosts: ImmutableMap<string, StreamHost>;
}
