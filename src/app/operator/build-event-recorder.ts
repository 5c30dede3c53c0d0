import type { Finding } from '../../admin/index.ts';
import type { GatewayStatus, KindName } from '../../gateway-api/index.ts';
import type { StatusChange } from '../../graph/index.ts';
import { EventRecorder } from '../../status/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { Core } from '../control-plane/index.ts';
import type { OpenCluster } from './open-cluster.ts';

/** Writes Events to the cluster while this replica leads: problems and their end, and Gateways that are programmed. */
export function buildEventRecorder(
  core: Core,
  { writing, leadership }: Pick<OpenCluster, 'writing' | 'leadership'>,
): EventRecorder {
  const { config, graph, metrics, logger } = core;
  const log = componentLogger(logger, 'events');
  let failure: string | undefined;
  return new EventRecorder({
    client: writing,
    lookup: (kind, key) => graph.find(kind, key),
    controllerName: config.controllerName,
    identity: leadership.identity,
    isLeader: leadership.isLeader,
    now: () => new Date(),
    onResult: metrics.status.eventWritten,
    onFailure(message) {
      // Each namespace says the same when a right is missing.
      log[failure === undefined ? 'warn' : 'debug']({}, `failed to write an Event: ${message}`);
      failure = message;
    },
  });
}

/** What a problem is as an Event of its object. */
export function recordProblem(
  recorder: EventRecorder,
  { code, reason, object, message }: Finding,
  state: 'raised' | 'ended',
) {
  const { kind, namespace, name } = object;
  recorder.record({
    kind: (kind === 'Certificate' ? 'Secret' : kind) as KindName,
    key: `${namespace}/${name}`,
    type: state === 'raised' ? 'Warning' : 'Normal',
    reason: state === 'raised' ? (reason ?? camelCase(code)) : 'Resolved',
    message: state === 'raised' ? message : `no longer: ${message}`,
  });
}

const camelCase = (code: string): string =>
  code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Says when a Gateway becomes Programmed. */
export function recordProgrammed(recorder: EventRecorder): (change: StatusChange) => void {
  const programmed = new Set<string>();
  return ({ kind, key, status }) => {
    if (kind !== 'Gateway') return;
    const found = (status as GatewayStatus | undefined)?.conditions.find(({ type }) => type === 'Programmed');
    if (found?.status !== 'True') programmed.delete(key);
    else if (!programmed.has(key)) {
      programmed.add(key);
      recorder.record({ kind, key, type: 'Normal', reason: 'Programmed', message: found.message });
    }
  };
}
