import type { RejectedName } from './dns/index.ts';
import type { ListenerStatus } from './listener-status.ts';
import type { Rejection } from './relay/index.ts';

/** What can be wrong with a data plane; the values of `…_dataplane_fault{reason}`. */
export const faultReasons = [
  'draining',
  'files_not_writable',
  'envoy_not_running',
  'envoy_silent',
  'envoy_crash_loop',
  'no_configuration',
  'envoy_not_live',
  'listener_not_bound',
  'configuration_refused',
  'configuration_not_kept',
  'envoy_not_upgraded',
  'duplicate_node_id',
  'name_refused',
  'geoip_unusable',
  'envoy_not_supported',
] as const;

export type FaultReason = (typeof faultReasons)[number];

/** One thing that is wrong. All of them end by themselves when their cause does. */
export interface HealthFault {
  readonly reason: FaultReason;
  /** For people: what it is, in the words of the part that found it. */
  readonly message: string;
  /** This data plane must not get traffic meanwhile. */
  readonly blocking: boolean;
}

/** All that is looked at. */
export interface FaultFacts {
  readonly draining: boolean;
  /** Envoy's process id; undefined: it is not running. */
  readonly pid: number | undefined;
  /** How Envoy's last run ended. */
  readonly lastEnd: string | undefined;
  /** How often in a row Envoy ended soon after its start. */
  readonly quickEnds: number;
  /** Why the files that Envoy needs could not be made; undefined when they were. */
  readonly filesFault: string | undefined;
  /** Envoy's state as it says itself; undefined: it does not answer. */
  readonly state: string | undefined;
  /** A snapshot is applied. */
  readonly applied: boolean;
  readonly listeners: readonly ListenerStatus[];
  /** Envoy's rejection of listeners, when its last answer on them was one. */
  readonly listenerRejection: Rejection | undefined;
  /** Rejections of anything that stand. */
  readonly rejections: readonly Rejection[];
  /** Why the configuration cannot be kept on disk. */
  readonly cacheFault: string | undefined;
  /** Why Envoy runs with its former settings and not with the present ones. */
  readonly upgradeFault: string | undefined;
  /** Another data plane took this one's stream not long ago. */
  readonly duplicateNodeId: boolean;
  /** Names that lead where no request may be sent. */
  readonly rejectedNames: readonly RejectedName[];
  /** Databases of places that cannot be used. */
  readonly geoFaults: readonly string[];
  /** Why the control plane serves no Envoy of this version; undefined when it does. */
  readonly unsupported: string | undefined;
}

/** The most names listed here; the report on names has more. */
const mostNames = 5;

/** So many quick ends in a row are a loop. */
const loopEnds = 3;

/** Everything that is wrong now, what blocks first. */
export function faultsOf(facts: FaultFacts): HealthFault[] {
  return [...blockingFaults(facts), ...otherFaults(facts)];
}

/** Why this data plane is not ready, all reasons at once; undefined when it is. */
export function notReadyReason(faults: readonly HealthFault[]): string | undefined {
  const blocking = faults.filter((fault) => fault.blocking);
  return blocking.length === 0 ? undefined : blocking.map(({ message }) => message).join('; ');
}

const blocked = (reason: FaultReason, message: string): HealthFault => ({ reason, message, blocking: true });

// Each of the first four explains those after it.
function blockingFaults(facts: FaultFacts): HealthFault[] {
  const { draining, pid, state, filesFault } = facts;
  if (draining) return [blocked('draining', 'draining')];
  if (filesFault !== undefined && pid === undefined) return [blocked('files_not_writable', notRunning(filesFault))];
  if (pid === undefined) return [blocked('envoy_not_running', notRunning(facts.lastEnd))];
  if (state === undefined) return [blocked('envoy_silent', 'Envoy does not answer')];
  const faults: HealthFault[] = [];
  if (!facts.applied) faults.push(blocked('no_configuration', 'no configuration is applied yet'));
  if (state !== 'LIVE') faults.push(blocked('envoy_not_live', `Envoy is ${state}`));
  const unbound = facts.listeners.filter((listener) => !listener.active).map((listener) => listener.name);
  if (unbound.length > 0) faults.push(blocked('listener_not_bound', unboundReason(unbound, facts.listenerRejection)));
  return faults;
}

function otherFaults(facts: FaultFacts): HealthFault[] {
  const faults: HealthFault[] = [];
  const add = (reason: FaultReason, message: string) => faults.push({ reason, message, blocking: false });
  const { quickEnds, lastEnd, rejections, cacheFault } = facts;
  if (quickEnds >= loopEnds) add('envoy_crash_loop', `Envoy ended ${quickEnds} times soon after its start: ${lastEnd}`);
  for (const { typeUrl, message } of rejections)
    add('configuration_refused', `Envoy rejects ${typeUrl.slice(typeUrl.lastIndexOf('.') + 1)}: ${message}`);
  if (cacheFault !== undefined)
    add('configuration_not_kept', `the configuration cannot be kept on disk: ${cacheFault}`);
  if (facts.upgradeFault !== undefined)
    add('envoy_not_upgraded', `Envoy cannot be upgraded, and runs as before: ${facts.upgradeFault}`);
  if (facts.duplicateNodeId)
    add('duplicate_node_id', 'another data plane connects with the same node_id; give each one its own');
  for (const { message } of facts.rejectedNames.slice(-mostNames))
    add(
      'name_refused',
      `${message}, where no request is sent: correct its DNS, or allow it in backends.allowedAddresses`,
    );
  for (const message of facts.geoFaults) add('geoip_unusable', message);
  if (facts.unsupported !== undefined)
    add('envoy_not_supported', `the control plane rejects this data plane: ${facts.unsupported}`);
  return faults;
}

const notRunning = (why: string | undefined): string => `Envoy is not running${why ? `: ${why}` : ''}`;

function unboundReason(names: readonly string[], rejection: Rejection | undefined): string {
  const text = `not bound: listener ${names.join(', ')}`;
  return rejection ? `${text}: Envoy rejected: ${rejection.message}` : text;
}
