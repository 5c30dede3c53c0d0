import type { NodeView } from '../../xds/index.ts';
import { nodeSync } from './node-sync.ts';

/** Something an operator should look at. Codes are stable. */
export interface Warning {
  readonly code:
    | 'snapshot_missing'
    | 'node_rejected'
    | 'certificate_expiring'
    | 'listener_failed'
    | 'route_not_accepted'
    | 'replica_unreachable'
    | 'replicas_disagree'
    | 'namespace_unreadable';
  readonly message: string;
}

export const snapshotMissing: Warning = {
  code: 'snapshot_missing',
  message: 'no snapshot has been built yet; data planes get no configuration',
};

/** A warning for each node that rejects what it was sent. */
export const rejections = (nodes: readonly NodeView[], snapshotId: string | undefined): Warning[] =>
  nodes
    .map((node) => ({ node, sync: nodeSync(node, snapshotId) }))
    .filter(({ sync }) => sync.state === 'rejected')
    .map(({ node, sync }) => ({
      code: 'node_rejected',
      message: `data plane ${node.nodeId} rejects its configuration: ${sync.message}`,
    }));

/** A warning for each namespace that should be read and cannot, with why. */
export const unreadableWarnings = (namespaces: ReadonlyMap<string, string>): Warning[] =>
  [...namespaces].map(([namespace, reason]) => ({
    code: 'namespace_unreadable',
    message: `namespace ${namespace} cannot be read, and what is known of it is not looked at again: ${reason}`,
  }));

/** One warning for a number of things, none for none of them. */
export const counted = (code: Warning['code'], count: number, one: string, many: string): Warning[] =>
  count === 0 ? [] : [{ code, message: count === 1 ? `1 ${one}` : `${count} ${many}` }];
