import { parseObjectKey } from '../../gateway-api/index.ts';
import type { Snapshot } from '../../ir/index.ts';
import type { Weaker } from '../../offline/access/index.ts';
import { problemCodes } from '../../problems/index.ts';
import type { ResourceEvent } from '../../sources/index.ts';
import type { NodeEvent } from '../../xds/index.ts';
import type { Finding } from '../problems/problem.ts';
import { findRouteKind } from '../routes/route-kinds.ts';

/** What is reported of a new snapshot. */
export const snapshotEvent = ({ id, generatedAt, counts }: Snapshot) => ({ id, generatedAt, ...counts });

/** What is reported of a data plane; undefined for what happens too often to be worth it. */
export function nodeEvent(event: NodeEvent) {
  const { kind, node } = event;
  // Single answers: `applied` says when they add up to something.
  if (kind === 'acked') return undefined;
  const { nodeId, gateway, connected, ready, lastAckVersion, lastConfigStatus } = node;
  return {
    action: kind,
    nodeId,
    gateway,
    connected,
    ready,
    lastAckVersion: lastAckVersion ?? null,
    lastConfigStatus: lastConfigStatus ?? null,
    ...(kind === 'disconnected' && { reason: event.reason }),
    ...(kind === 'nacked' && { message: event.nack.message }),
  };
}

/** What is reported of a problem that came up, or ended. */
export const problemEvent = ({ code, object, message }: Finding, action: 'raised' | 'ended') => ({
  action,
  code,
  severity: problemCodes[code].severity,
  ...object,
  message,
});

/** What is reported of access that became weaker: of which route, else of which Gateway. */
export function accessEvent({ gateway, route, part, message }: Weaker) {
  const [, word = '', namespace = '', name = ''] = /^([^/]+)\/([^/]+)\/(.+)$/.exec(route ?? '') ?? [];
  const kind = findRouteKind(word);
  return {
    action: 'weaker',
    ...(kind ? { kind, namespace, name } : { kind: 'Gateway', ...parseObjectKey(gateway) }),
    part,
    message,
  };
}

/** What is reported of an object: which one it is, and nothing of its content. */
export const resourceEvent = ({ type, kind, object: { metadata } }: ResourceEvent) => ({
  action: type,
  kind: kind.name,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  generation: metadata.generation ?? null,
});
