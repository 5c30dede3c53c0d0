import type * as ir from '../../ir/index.ts';
import type { ConditionFault } from './condition.ts';
import type { ResolvedListener } from './listener.ts';
import type { PolicyOutcome } from './policy-outcome.ts';
import type { PortHosts } from './port-hosts.ts';

/** What all listeners of a port share. */
export type PortSettings = Pick<ir.Listener, 'proxyProtocol' | 'bufferBytes' | 'keepalive'>;

/** What a policy says, in the terms of what proxies do. */
export interface ResolvedSettings {
  readonly port: PortSettings;
  readonly tls?: ir.TlsParameters;
  readonly client?: ir.ClientSettings;
  readonly maxConnections?: number;
  /** Undefined: the DataPlane says; `off`: there is none. */
  readonly accessLog?: ir.AccessLog | 'off';
  readonly http3?: {
    readonly advertisedPort?: number;
    readonly maxAgeSeconds: number;
    /** Of a UDP port there is one. */
    readonly maxConcurrentStreams?: number;
  };
  /** Keys of the backends that it uses. */
  readonly backends: readonly string[];
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
