import type { TokenSource } from '../admin/http/index.ts';
import type { ListenAddress } from '../config/index.ts';
import type { Logger } from '../telemetry/index.ts';
import type { Access } from './access/index.ts';
import type { Clock } from './clock.ts';
import type { MetricSinks } from './envoy/stat-sinks.ts';
import type { GeoPaths } from './geoip/index.ts';
import type { IpFamily } from './relay/index.ts';

/** Who may read the agent's admin API beside its control plane. */
export interface AgentAdminAuth {
  /** Tokens that read reports, as they are now; each gives undefined where there is none. */
  readonly tokens?: readonly TokenSource[];
  /** See HostGuardOptions.allowed. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Metrics ask for a token too; false by default. */
  readonly protectMetrics?: boolean;
}

/** Where names that users write may lead: by default to no address that only its own machine, link or cloud should reach. */
export interface EgressOptions {
  /** Addresses and ranges (CIDR) that they may lead to all the same. */
  readonly allowedAddresses?: readonly string[];
  /** `cluster.local` by default. */
  readonly clusterDomain?: string;
  /** Names and addresses of the control plane, which they never lead to; by default the host of `xdsAddress`. */
  readonly controlPlaneHosts?: readonly string[];
  /** Name servers to ask, in place of those of /etc/resolv.conf. */
  readonly nameServers?: readonly { readonly address: string; readonly port: number }[];
}

export interface DataPlaneAgentOptions {
  /** No other data plane may have it: the control plane keeps one stream per node id. */
  readonly nodeId: string;
  /** `NAMESPACE/NAME` of the Gateway to serve. */
  readonly cluster: string;
  /** The zone that the proxy is in, which endpoints of Services that ask for it are chosen by; unknown by default. */
  readonly zone?: string | undefined;
  /** The agent's own version, as every report of it shows it. */
  readonly version: string;
  /** The control plane's xDS server, `host:port`. */
  readonly xdsAddress: string;
  /** Plain text by default. */
  readonly access?: Access;
  /** Where the admin API listens; port 0: any free one, see `DataPlaneAgent.adminPort`. */
  readonly adminListen: ListenAddress;
  /** Who may read it beside the control plane. */
  readonly adminAuth?: AgentAdminAuth;
  /** An Envoy binary. */
  readonly envoyPath: string;
  /** Arguments put last on Envoy's command line. */
  readonly envoyArgs?: readonly string[];
  /** Envoy's worker threads; as many as it has processors by default. */
  readonly concurrency?: number;
  /**
   * TCP ports are bound with `SO_REUSEPORT`, each worker taking in connections of its own; false by default. Two programs of one user then share
   * a port unnoticed. Fixed for as long as the agent runs: Envoy changes it on no open port.
   */
  readonly reusePort?: boolean;
  /** Listeners for all addresses of IPv4 are opened for all of this family instead; `IPv4` by default. Fixed for as long as the agent runs. */
  readonly ipFamily?: IpFamily;
  /** Paths of databases of places in MaxMind's format, looked at again when they change; none by default. */
  readonly geoip?: GeoPaths;
  /** Where Envoy sends its metrics; nowhere by default. */
  readonly metrics?: MetricSinks;
  /** Envoy's own log level; `warning` by default. */
  readonly logLevel?: string;
  /** What is added to Envoy's bootstrap, in its own JSON with names in snake_case; see `extendBootstrap`. */
  readonly bootstrap?: Readonly<Record<string, unknown>> | undefined;
  /** For sockets and the bootstrap, closed to other users; made when missing. By default one in the system's temporary directory, removed at the end. */
  readonly workDir?: string;
  /** How long open connections may take after `stop`, in milliseconds; 10,000 by default. */
  readonly drainTimeMs?: number;
  /** Go on serving at least this long after `stop`, while senders learn of it, in milliseconds; 0 by default. */
  readonly minDrainTimeMs?: number;
  /** Envoy sheds load as its heap comes near this size, in bytes; by default most of the memory there is. */
  readonly maxHeapBytes?: number;
  /** Envoy refuses connections above this number; 50,000 by default. */
  readonly maxConnections?: number;
  /** When an Envoy that runs and does not answer is killed, in milliseconds; see WatchdogOptions. It is asked every 10 s, and may be silent for a minute, or ten while its main thread works. */
  readonly watchdog?: { readonly intervalMs: number; readonly patienceMs: number; readonly longestMs?: number };
  /** How long connections may stay with an Envoy that another one took over from, in milliseconds; ten minutes by default. */
  readonly handoverMs?: number;
  /** How often requests are counted for the control plane, in milliseconds; 10 s by default, and seldomer where that would cost more than 0.5 % of a core. */
  readonly trafficIntervalMs?: number;
  /** How long requests wait for the control plane that count against shared rate limits, in milliseconds; 1000 by default, and 4000 at most. */
  readonly limitPatienceMs?: number;
  /** Called for each request that waits until the agent says whether a limit lets it through: of these there may be thousands a second. */
  readonly onQuestion?: () => void;
  /** Where the last good configuration is kept for the next start; by default it is not. */
  readonly cache?: {
    /** A folder that no other agent uses; made when missing, closed to other users. */
    readonly directory: string;
    /** A file with at least 32 random bytes that the configuration is encrypted with. */
    readonly keyFile?: string | undefined;
    /** After this time without a control plane it is not used any more, in milliseconds; by default it always is. */
    readonly maxAgeMs?: number | undefined;
    /** Whether Secrets, private keys among them, are kept too; true by default. */
    readonly secrets?: boolean;
  };
  /** Paths of the keys for sticky sessions, read again when they change. Without a current one a key is made up, and a warning logged. */
  readonly sessionKeyFiles?: { readonly current?: string | undefined; readonly previous?: string | undefined };
  /** Where names that users write may lead. */
  readonly egress?: EgressOptions;
  readonly logger: Logger;
  readonly clock?: Clock;
}
