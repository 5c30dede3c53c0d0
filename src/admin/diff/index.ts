import type { z } from 'zod';
import { BuildFault } from '../../graph/index.ts';
import { HttpError } from '../http/index.ts';
import { managedTag } from '../managed-resources/index.ts';
import type { ResourceStore } from '../managed-resources/resource-store.ts';
import { type Endpoints, question } from '../resource/endpoint.ts';
import { bodyErrors, parseBody, readList } from '../resource/read-body.ts';
import type { AdminSources } from '../sources.ts';
import { onlyCopy } from './one-copy.ts';
import { type DiffRecord, objectList, diff as record } from './record.ts';
import { objectDifference, type Rehearsed, rehearse } from './rehearse.ts';
import { whatIf } from './what-if.ts';

/** What a comparison tries objects on. */
interface DiffSources extends AdminSources {
  readonly store: ResourceStore;
}

/** `POST /v1/diff`: what would change if these objects were applied. */
export const diff: Endpoints<DiffSources> = {
  endpoints: [
    question({
      path: '/v1/diff',
      tag: managedTag,
      summary: 'What would change in objects, statuses and proxies if these objects were applied; changes nothing',
      body: objectList,
      answer: record,
      errors: [...bodyErrors, 'resource_invalid', 'cluster_forbidden', 'diff_busy'],
      async handle({ ctx }, sources: DiffSources) {
        const { items } = parseBody(objectList, await readList(ctx), 'body_malformed');
        const compared = await onlyCopy(sources.graph, () => answer(sources, items));
        if (compared === undefined)
          throw new HttpError('diff_busy', 'another comparison is being made', { headers: { 'Retry-After': '1' } });
        return compared;
      },
    }),
  ],
};

async function answer(sources: DiffSources, items: z.infer<typeof objectList>['items']): Promise<DiffRecord> {
  const { store } = sources;
  const rehearsed: Rehearsed[] = [];
  for (const item of items) rehearsed.push(await rehearse(item, { sources, store }));
  const proposals = rehearsed.flatMap(({ proposed }) => proposed ?? []);
  const { statuses, ingresses, ir, weaker, envoy } = await whatIf(sources, proposals).catch((error: unknown) => {
    if (error instanceof BuildFault) throw new HttpError('resource_invalid', error.message);
    throw error;
  });
  return {
    snapshotVersion: sources.graph.snapshot()?.id ?? null,
    resources: rehearsed.flatMap((one) => (one.proposed ? objectDifference(one) : [])),
    skipped: rehearsed.flatMap(({ skipped }) => skipped ?? []),
    statuses: [...statuses],
    ingresses: [...ingresses],
    ir,
    weaker: [...weaker],
    envoy,
  };
}
