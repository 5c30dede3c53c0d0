import { type Endpoints, get } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { infrastructureRecord } from './infrastructure-record.ts';
import { infrastructure as record } from './record.ts';

/** `/v1/infrastructure`: what runs for the Gateways. */
export const infrastructure: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/infrastructure',
      summary: 'What runs for the Gateways',
      answer: record,
      handle: async (_, sources: AdminSources) => infrastructureRecord(await sources.infrastructure.parts()),
    }),
  ],
};
