import { oneOf, readQuery } from '../http/index.ts';
import { infrastructureRecord } from '../infrastructure/infrastructure-record.ts';
import { type Endpoint, single } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { topology, topologyTypes } from './topology.ts';

/** Parameters of `/v1/topology`. */
export const topologyFilters = ['type', 'namespace', 'gateway', 'name'] as const;

/** `/v1/topology` and `/v1/infrastructure`: what depends on what, and what runs for it. */
export const topologyEndpoints = (sources: AdminSources): readonly Endpoint[] => [
  {
    path: '/v1/topology',
    handle: async (ctx) => {
      const query = readQuery(ctx, topologyFilters);
      const type = query.get('type');
      ctx.body = await topology(sources, {
        type: type === undefined ? undefined : oneOf('type', type, topologyTypes),
        namespace: query.get('namespace'),
        gateway: query.get('gateway'),
        name: query.get('name'),
      });
    },
  },
  single('/v1/infrastructure', async () => infrastructureRecord(await sources.infrastructure.parts())),
];
