import { oneOf } from '../http/index.ts';
import { type Endpoints, get } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { topology as record, topologyTypes } from './record.ts';
import { findTopology } from './topology.ts';

/** `/v1/topology`: what depends on what. */
export const topology: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/topology',
      summary: 'What depends on what',
      answer: record,
      query: {
        type: 'Only nodes of this type',
        namespace: 'Only nodes of this namespace',
        gateway: 'Only this Gateway (`NAMESPACE/NAME` or `NAME`) and all around it',
        name: 'Only nodes with this name, and their neighbours',
      },
      needsSync: true,
      errors: ['query_invalid'],
      handle({ query }, sources: AdminSources) {
        const type = query.get('type');
        return findTopology(sources, {
          type: type === undefined ? undefined : oneOf('type', type, topologyTypes),
          namespace: query.get('namespace'),
          gateway: query.get('gateway'),
          name: query.get('name'),
        });
      },
    }),
  ],
};
