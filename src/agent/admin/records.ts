import type { Relay, Upstream } from '../relay/index.ts';
import type { AgentState } from '../state.ts';

/*
 * The contract's records of a data plane, in snake_case. Times are ISO 8601 UTC with milliseconds; what is not known yet
 * is null, so that every field is always there.
 */

const time = (date: Date | undefined): string | null => date?.toISOString() ?? null;

/** What the records say that never changes. */
export interface Identity {
  readonly nodeId: string;
  readonly version: string;
  readonly startedAt: Date;
  /** The control plane's `host:port`. */
  readonly xdsAddress: string;
}

/** `/api/v1/status` */
export function statusRecord({ nodeId, version, startedAt }: Identity, relay: Relay, state: AgentState, now: Date) {
  return {
    node_id: nodeId,
    version,
    uptime_seconds: Math.floor((now.getTime() - startedAt.getTime()) / 1000),
    ready: state.ready,
    ready_message: state.reason ?? null,
    faults: state.faults,
    config_version: relay.applied?.id ?? null,
    config_applied_at: time(relay.applied?.appliedAt),
    listeners: state.listeners,
    serving: state.serving,
    cache: cacheRecord(state),
    envoy: { ...state.envoy, pid: state.envoy.pid ?? null },
  };
}

/** What is kept on disk for the next start; null where nothing is. */
function cacheRecord({ cache }: AgentState) {
  if (!cache) return null;
  const { path, writtenAt, bytes, writeFailures, fault, restoredFrom } = cache;
  return {
    path,
    written_at: time(writtenAt),
    bytes,
    write_failures: writeFailures,
    fault: fault ?? null,
    restored_from: time(restoredFrom),
  };
}

/** `/api/v1/config/version` */
export function configVersionRecord({ applied, types }: Relay) {
  const byType = [...types.values()].map(({ typeUrl, held, pushes }) => [
    shortTypeName(typeUrl),
    { resources: held.resources.size, refused: [...held.rejected.keys()].sort(), outstanding: pushes.size },
  ]);
  return {
    id: applied?.id ?? null,
    applied_at: time(applied?.appliedAt),
    nonce: applied?.nonce ?? null,
    types: Object.fromEntries(byType),
  };
}

/** `/api/v1/xds/status` */
export function xdsStatusRecord({ xdsAddress }: Identity, relay: Relay, upstream: Upstream, { serving }: AgentState) {
  const { lastAnswer, lastRejection } = relay;
  return {
    connected: upstream.connectedSince !== undefined,
    controlplane_address: xdsAddress,
    connected_since: time(upstream.connectedSince),
    serving,
    last_config_version: lastAnswer?.version ?? null,
    last_config_nonce: lastAnswer?.nonce ?? null,
    last_config_status: lastAnswer?.status ?? null,
    stream_reconnects: upstream.reconnects,
    last_nack_message: lastRejection?.message ?? null,
    last_disconnect_reason: upstream.lastDisconnectReason ?? null,
    superseded_count: upstream.supersededCount,
    superseded_at: time(upstream.supersededAt),
    duplicate_node_id: upstream.duplicateNodeId,
  };
}

/** `Listener` for `type.googleapis.com/envoy.config.listener.v3.Listener`. */
const shortTypeName = (typeUrl: string): string => typeUrl.slice(typeUrl.lastIndexOf('.') + 1);
