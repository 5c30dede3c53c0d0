import { type Endpoints, get } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { summary as record } from './record.ts';
import { summarize } from './summarize.ts';

/** `/v1/summary` */
export const summary: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/summary',
      summary: 'The state of everything in numbers',
      answer: record,
      handle: (_, sources: AdminSources) => summarize(sources),
    }),
  ],
};
