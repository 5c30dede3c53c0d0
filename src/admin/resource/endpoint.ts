import type { RouterContext } from '@koa/router';
import type { Snapshot } from '../../ir/index.ts';
import type { NodeView } from '../../xds/index.ts';
import { HttpError, type ListSpec, listPage, readQuery, setTag } from '../http/index.ts';
import { getNode } from '../nodes/get-node.ts';
import { snapshotTag } from '../snapshot/snapshot-record.ts';
import type { AdminSources } from '../sources.ts';

/** One path of a layout and what a method does there. */
export interface Endpoint {
  /** GET, which answers HEAD too, when left out. */
  readonly method?: 'get' | 'post' | 'put' | 'delete';
  /** With `:name` for parameters. */
  readonly path: string;
  readonly handle: (ctx: RouterContext) => void | Promise<void>;
}

/** The parameters of a matched path. */
export type Params = Readonly<Record<string, string>>;

/** A path that shows one thing and takes no query. */
export const single = (path: string, read: (params: Params) => unknown): Endpoint => ({
  path,
  handle: async (ctx) => {
    readQuery(ctx, []);
    ctx.body = await read(ctx.params);
  },
});

/** A path with a `:nodeId` that shows one data plane; `?gateway=NAMESPACE/NAME` says which of those that have the id. */
export const ofNode = (
  path: string,
  sources: AdminSources,
  read: (node: NodeView, params: Params, ctx: RouterContext) => unknown,
): Endpoint => ({
  path,
  handle: async (ctx) => {
    const gateway = readQuery(ctx, ['gateway']).get('gateway');
    const { nodeId = '' } = ctx.params as Params;
    ctx.body = await read(getNode({ nodeId, gateway }, sources), ctx.params, ctx);
  },
});

/**
 * A path that shows a list as a bare array. `entries` are cheap; `present` is asked for the entries of one page, and
 * gives a LazyList where one can be long.
 */
export const list = <T>(
  path: string,
  spec: ListSpec<T>,
  { entries, present }: { readonly entries: () => Iterable<T>; readonly present: (page: readonly T[]) => unknown },
): Endpoint => ({
  path,
  handle: async (ctx) => {
    ctx.body = await present(listPage(ctx, entries(), spec));
  },
});

/** A path that shows nothing but the snapshot, which is made only for a client that has not got it yet. */
export const wholeSnapshot = (
  path: string,
  { graph }: AdminSources,
  present: (snapshot: Snapshot) => unknown,
): Endpoint => ({
  path,
  handle: (ctx) => {
    readQuery(ctx, []);
    const snapshot = getSnapshot(graph);
    if (!setTag(ctx, snapshotTag(snapshot, graph))) ctx.body = present(snapshot);
  },
});

/** The newest snapshot. Throws a 503 before the first. */
export function getSnapshot(graph: AdminSources['graph']): Snapshot {
  const snapshot = graph.snapshot();
  if (snapshot === undefined) throw new HttpError('not_ready', 'no snapshot has been built yet');
  return snapshot;
}
