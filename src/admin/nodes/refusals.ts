import type { Router, RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import type { Logger } from '../../telemetry/index.ts';
import type { NodeRef } from '../../xds/index.ts';
import { audit } from '../auth/audit.ts';
import { HttpError, readQuery } from '../http/index.ts';
import type { AdminSources } from '../sources.ts';
import { getNode } from './get-node.ts';
import { refusalRecords } from './node-record.ts';

export interface RefusalRoutes {
  readonly sources: AdminSources;
  /** Sends the data plane once more what it refused, at whichever replica it is. */
  readonly offerAgain: (node: NodeRef) => void;
  readonly logger: Logger;
  /** Goes before writes. */
  readonly guard: Middleware;
}

/** Adds `DELETE /v1/nodes/:nodeId/refusals` to the router of Layout 1. */
export function mountRefusals(router: Router, { sources, offerAgain, logger, guard }: RefusalRoutes): void {
  router.delete('/v1/nodes/:nodeId/refusals', audit(logger), guard, (ctx: RouterContext) => {
    const of = readQuery(ctx, ['gateway']).get('gateway');
    const node = getNode({ nodeId: ctx.params.nodeId ?? '', gateway: of }, sources);
    if (!node.connected || node.staleSince !== undefined)
      throw new HttpError('node_not_connected', `data plane ${node.nodeId} is not connected: it is sent nothing`);
    const { nodeId, gateway, cluster } = node;
    ctx.body = { nodeId, gateway, refusals: refusalRecords(node, sources.graph) };
    offerAgain({ nodeId, cluster });
  });
}
