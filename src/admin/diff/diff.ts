import type { RouterContext } from '@koa/router';
import type { z } from 'zod';
import { BuildFault } from '../../graph/index.ts';
import { HttpError, readQuery } from '../http/index.ts';
import type { ResourceStore } from '../managed-resources/resource-store.ts';
import { parseBody, readBodyText, readList } from '../resource/read-body.ts';
import type { World } from '../world.ts';
import { objectList } from './record.ts';
import { objectDifference, type Rehearsed, rehearse } from './rehearse.ts';
import { whatIf } from './what-if.ts';

export interface DiffOptions {
  readonly world: World;
  readonly store: ResourceStore;
}

/** `POST /v1/diff`: what would change if these objects were applied. Reads only, whatever its method says. */
export const diffHandler = ({ world, store }: DiffOptions) => {
  let isBusy = false;
  return async (ctx: RouterContext): Promise<void> => {
    readQuery(ctx, []);
    await readBodyText(ctx, async () => {});
    const { items } = parseBody(objectList, await readList(ctx), 'body_malformed');
    // A copy of everything is held meanwhile: one is enough.
    if (isBusy)
      throw new HttpError('diff_busy', 'another comparison is being made', { headers: { 'Retry-After': '1' } });
    isBusy = true;
    try {
      ctx.body = await answer({ world, store }, items);
    } finally {
      isBusy = false;
    }
  };
};

async function answer({ world, store }: DiffOptions, items: z.infer<typeof objectList>['items']) {
  const rehearsed: Rehearsed[] = [];
  for (const item of items) rehearsed.push(await rehearse(item, { world, store }));
  const wishes = rehearsed.flatMap(({ wish }) => wish ?? []);
  const { statuses, ir, envoy } = await whatIf(world, wishes).catch((error: unknown) => {
    if (error instanceof BuildFault) throw new HttpError('resource_invalid', error.message);
    throw error;
  });
  return {
    snapshotVersion: world.graph.snapshot()?.id ?? null,
    resources: rehearsed.flatMap((one) => (one.wish ? objectDifference(one) : [])),
    skipped: rehearsed.flatMap(({ skipped }) => skipped ?? []),
    statuses,
    ir,
    envoy,
  };
}
