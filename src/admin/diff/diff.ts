import type { RouterContext } from '@koa/router';
import type { z } from 'zod';
import { BuildFault } from '../../graph/index.ts';
import { HttpError, readQuery } from '../http/index.ts';
import type { ResourceStore } from '../managed-resources/resource-store.ts';
import { parseBody, readBodyText, readList } from '../resource/read-body.ts';
import type { AdminSources } from '../sources.ts';
import { objectList } from './record.ts';
import { objectDifference, type Rehearsed, rehearse } from './rehearse.ts';
import { whatIf } from './what-if.ts';

export interface DiffOptions {
  readonly sources: AdminSources;
  readonly store: ResourceStore;
}

/** `POST /v1/diff`: what would change if these objects were applied. Reads only, whatever its method says. */
export const diffHandler = ({ sources, store }: DiffOptions) => {
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
      ctx.body = await answer({ sources, store }, items);
    } finally {
      isBusy = false;
    }
  };
};

async function answer({ sources, store }: DiffOptions, items: z.infer<typeof objectList>['items']) {
  const rehearsed: Rehearsed[] = [];
  for (const item of items) rehearsed.push(await rehearse(item, { sources, store }));
  const wishes = rehearsed.flatMap(({ wish }) => wish ?? []);
  const { statuses, ir, envoy } = await whatIf(sources, wishes).catch((error: unknown) => {
    if (error instanceof BuildFault) throw new HttpError('resource_invalid', error.message);
    throw error;
  });
  return {
    snapshotVersion: sources.graph.snapshot()?.id ?? null,
    resources: rehearsed.flatMap((one) => (one.wish ? objectDifference(one) : [])),
    skipped: rehearsed.flatMap(({ skipped }) => skipped ?? []),
    statuses,
    ir,
    envoy,
  };
}
