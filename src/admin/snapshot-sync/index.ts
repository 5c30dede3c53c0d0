import { type Endpoints, get } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { findSync } from './find-sync.ts';
import { snapshotSync as record } from './record.ts';

/** `/v1/snapshot-sync` */
export const snapshotSync: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/snapshot-sync',
      summary: 'Whether each data plane runs the newest snapshot',
      answer: record,
      handle: (_, sources: AdminSources) => findSync(sources),
    }),
  ],
};
