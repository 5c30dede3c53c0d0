import type { ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import type { Edges } from '../engine/edges.ts';
import type { Store } from '../engine/store.ts';
import type { Fault } from '../model/condition.ts';
import { describeOwner } from '../model/listener-owner.ts';
import type { PolicyOutcome } from '../model/policy-outcome.ts';
import type { PortHosts } from '../model/port-hosts.ts';
import type { SettledListener } from './listener.ts';
import type { SettledListenerSet } from './listener-set.ts';

/** What all listeners of a port share. */
export type PortSettings = Pick<ir.Listener, 'proxyProtocol' | 'bufferBytes' | 'keepalive'>;

/** What a policy says, in the terms of what proxies do. */
export interface SettledSettings {
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
  readonly referenceFaults: readonly Fault[];
}

/** What the policy of a listener says; undefined without one. Listeners of HTTP ask for the first of their port, whose word holds for all. */
export type SettingsOf = (listener: SettledListener) => SettledSettings | undefined;

/** The policies of one Gateway, followed. */
export interface SettledPolicies {
  /** For listeners of the Gateway. */
  readonly settingsOf: SettingsOf;
  /**
   * By the policy's key, of all that are for listeners of the Gateway. `settingsOf` is of all listeners on `ports`, which
   * may be of other Gateways too.
   */
  readonly outcomesOn: (ports: readonly PortHosts[], settingsOf: SettingsOf) => ReadonlyMap<string, PolicyOutcome>;
}

/** A Gateway with the ListenerSets that name it, and what its policies are found by. */
export interface ListenerOwners {
  readonly gateway: ObjectByKind['Gateway'];
  readonly sets: ReadonlyMap<string, SettledListenerSet>;
  readonly edges: Edges;
  readonly store: Store;
}

/**
 * How policies of a kind act on listeners: the graph asks when it resolves a Gateway, and marks the statuses of the policies that it
 * speaks of. One kind does so: what several kinds would say of one listener is not merged.
 */
export interface ListenerSettings {
  readonly resolve: (owners: ListenerOwners) => SettledPolicies;
}

/** Of Gateways whose listeners no policy is for. */
export const noPolicies: SettledPolicies = { settingsOf: () => undefined, outcomesOn: () => new Map() };

/** Taken by listeners of protocol UDP. */
export const udpPortsOf = (ports: readonly PortHosts[]): ReadonlySet<number> =>
  new Set(
    ports.flatMap((owners) => [...owners.values()]).flatMap(({ protocol, port }) => (protocol === 'UDP' ? port : [])),
  );

/** Why a listener cannot be had by HTTP/3, if its policy asks for it. */
export const whyNoHttp3 = (
  { protocol, clients, port, name, owner }: SettledListener,
  udpPorts: ReadonlySet<number>,
): string | undefined => {
  if (protocol !== 'HTTPS') return undefined;
  const what = `listener ${name} of ${describeOwner(owner)}`;
  if (clients) return `http3: ${what} asks clients for certificates, which goes by TCP only, so it has no HTTP/3`;
  if (udpPorts.has(port))
    return `http3: UDP port ${port} is taken by a listener of protocol UDP, so ${what} has no HTTP/3`;
  return undefined;
};

/** Whether a listener has a UDP port too. */
export const hasHttp3 = (listener: SettledListener, settingsOf: SettingsOf, udpPorts: ReadonlySet<number>): boolean =>
  listener.protocol === 'HTTPS' && settingsOf(listener)?.http3 !== undefined && !whyNoHttp3(listener, udpPorts);
