import type * as ir from '../../ir/index.ts';
import type { ConditionFault } from './condition.ts';
import type { ResolvedListener } from './listener.ts';
import type { PolicyOutcome } from './policy-outcome.ts';
import type { PortHosts } from './port-hosts.ts';

/** What all listeners of a port share. */
export type PortSettings = Pick<ir.Listener, 'proxyProtocol' | 'bufferBytes' | 'acceptsPerEvent' | 'keepalive'>;

/** Lists of revoked certificates as proxies can use them. */
export interface RevocationLists {
  /** All of them, in PEM. */
  readonly pem: string;
  /** Of each: the name of its authority in DER, as hexadecimal. */
  readonly issuers: ReadonlySet<string>;
  /** When the first of them ends, and certificates of its authority are verified no more. Undefined: none of them ends. */
  readonly ends?: Date;
  /** When the first of them has a quarter of its lifetime left: it should have been renewed. */
  readonly late?: Date;
}

/** Which certificates of clients are revoked. */
export interface ListenerRevocation {
  readonly lists: RevocationLists;
  readonly leafOnly?: true;
}

/** What a policy says, in the terms of what proxies do. */
export interface ResolvedSettings {
  /** Key of the policy. */
  readonly policy: string;
  readonly port: PortSettings;
  readonly tls?: ir.TlsParameters;
  /** For listeners that ask clients for certificates; `unavailable`: what it names is not there, so no client comes in there. */
  readonly revocation?: ListenerRevocation | 'unavailable';
  /** Of clients whose certificates are asked for. */
  readonly clientPins?: ir.CertificatePins;
  readonly client?: ir.ClientSettings;
  readonly maxConnections?: number;
  readonly closeDelayMs?: number;
  /** Of connections whose bytes are passed on. */
  readonly tcpIdleMs?: number;
  /** Undefined: the DataPlane says; `off`: there is none. */
  readonly accessLog?: ir.AccessLog | 'off';
  readonly http3?: {
    readonly advertisedPort?: number;
    readonly maxAgeSeconds: number;
    /** Of a UDP port there is one. */
    readonly maxConcurrentStreams?: number;
  };
  /** What it says of clients is not available, and they must not come in without it: HTTP and HTTPS listeners end their connections. */
  readonly isClosed?: true;
  /** Keys of the backends that it uses. */
  readonly backends: readonly string[];
  /** What is wrong with what it says. */
  readonly faults: readonly ConditionFault[];
  /** Receivers that are not there: what would be sent to them is left out. */
  readonly referenceFaults: readonly ConditionFault[];
}

/** What the policy of a listener says; undefined without one. Listeners of HTTP ask for the first of their port, whose word holds for all. */
export type SettingsOf = (listener: ResolvedListener) => ResolvedSettings | undefined;

/** The policies of one Gateway, followed. */
export interface ResolvedPolicies {
  /** For listeners of the Gateway. */
  readonly settingsOf: SettingsOf;
  /**
   * By the policy's key, of all that are for listeners of the Gateway. `settingsOf` is of all listeners on `ports`, which
   * may be of other Gateways too.
   */
  readonly outcomesOn: (ports: readonly PortHosts[], settingsOf: SettingsOf) => ReadonlyMap<string, PolicyOutcome>;
}
