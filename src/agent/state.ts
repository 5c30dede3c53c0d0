import { typeUrls } from '../envoy/wire/index.ts';
import type { CacheState } from './cache/index.ts';
import type { RejectedName } from './dns/index.ts';
import type { EnvoyAdmin, ServerInfo } from './envoy/envoy-admin.ts';
import type { Envoys } from './envoys.ts';
import { faultsOf, type HealthFault, notReadyReason } from './faults.ts';
import { type ListenerStatus, listenerStatuses } from './listener-status.ts';
import type { Relay, Upstream } from './relay/index.ts';

/** What the agent is made of, as its read model sees it. */
export interface AgentParts {
  readonly process: Pick<
    Envoys,
    'pid' | 'restarts' | 'lastEnd' | 'quickEnds' | 'prepareFault' | 'upgrades' | 'upgradeFault'
  >;
  readonly admin: Pick<EnvoyAdmin, 'serverInfo' | 'listeners'>;
  readonly relay: Relay;
  readonly upstream: Pick<Upstream, 'connectedSince' | 'duplicateNodeId' | 'unsupported'>;
  /** Undefined: the configuration is not kept on disk. */
  readonly cache: CacheState | undefined;
  readonly draining: () => boolean;
  readonly rejectedNames: readonly RejectedName[];
  readonly geoFaults: readonly string[];
}

/**
 * Where the served configuration comes from: `current` from the connected control plane, `cached` from the agent while
 * that is away, `last_good` while Envoy rejects something newer, `none` when nothing is served.
 */
export const servingSources = ['none', 'current', 'cached', 'last_good'] as const;

export type Serving = (typeof servingSources)[number];

/** The data plane at one moment. */
export interface AgentState {
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly reason: string | undefined;
  /** All that is wrong, also what traffic does not suffer from. */
  readonly faults: readonly HealthFault[];
  readonly serving: Serving;
  /** Version and state are empty while Envoy does not answer. */
  readonly envoy: ServerInfo & {
    readonly pid: number | undefined;
    readonly restarts: number;
    readonly upgrades: number;
  };
  readonly listeners: readonly ListenerStatus[];
  readonly cache: CacheState | undefined;
}

/** Asks Envoy and puts the answer together with what the agent knows itself. Never rejects. */
export async function observe(parts: AgentParts): Promise<AgentState> {
  const { process, admin, relay } = parts;
  const [info, active] = await Promise.all([unlessSilent(admin.serverInfo()), unlessSilent(admin.listeners())]);
  const listeners = listenerStatuses(relay, active ?? []);
  const { pid, restarts, lastEnd, quickEnds, upgrades, upgradeFault, prepareFault: filesFault } = process;
  const faults = faultsOf({
    draining: parts.draining(),
    pid,
    lastEnd,
    quickEnds,
    filesFault,
    state: active && info?.state,
    applied: relay.applied !== undefined,
    listeners,
    listenerRejection: relay.rejections.get(typeUrls.listener),
    rejections: [...relay.rejections.values()],
    upgradeFault,
    cacheFault: parts.cache?.fault,
    duplicateNodeId: parts.upstream.duplicateNodeId,
    rejectedNames: parts.rejectedNames,
    geoFaults: parts.geoFaults,
    unsupported: parts.upstream.unsupported,
  });
  const reason = notReadyReason(faults);
  const serving = info?.state === 'LIVE' ? servingFrom(parts) : 'none';
  const envoy = { version: info?.version ?? '', state: info?.state ?? '', pid, restarts, upgrades };
  return { ready: reason === undefined, reason, faults, serving, envoy, listeners, cache: parts.cache };
}

function servingFrom({ relay, upstream }: AgentParts): Serving {
  if (!relay.applied) return 'none';
  if (relay.rejections.size > 0) return 'last_good';
  return upstream.connectedSince ? 'current' : 'cached';
}

/** Envoy not answering is a state to report, not an error. */
const unlessSilent = <T>(answer: Promise<T>): Promise<T | undefined> => answer.catch(() => undefined);
