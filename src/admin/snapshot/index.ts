import { invalidQuery, LazyList, oneOf, readQuery, setTag } from '../http/index.ts';
import { getNode } from '../nodes/get-node.ts';
import { type Endpoint, getSnapshot } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { envoyResourceRecord } from './envoy-resources.ts';
import { snapshotRecord, snapshotTag } from './snapshot-record.ts';

/** `/v1/snapshot`: the intermediate representation; with `format=envoy&node=NODE` what that data plane is sent. */
export const snapshotEndpoints = (sources: AdminSources): readonly Endpoint[] => [
  {
    path: '/v1/snapshot',
    handle: (ctx) => {
      const query = readQuery(ctx, ['format', 'node', 'gateway']);
      const format = oneOf('format', query.get('format') ?? 'ir', ['ir', 'envoy']);
      const nodeId = query.get('node');
      const gateway = query.get('gateway');
      if (format === 'envoy' && nodeId === undefined)
        throw invalidQuery(
          'node',
          'needed with format=envoy: proxies of different Gateways are sent different resources',
        );
      if (format === 'ir' && nodeId !== undefined) throw invalidQuery('node', 'known with format=envoy only');
      if (gateway !== undefined && nodeId === undefined) throw invalidQuery('gateway', 'known with node only');
      const snapshot = getSnapshot(sources.graph);
      // What proxies are sent follows the snapshot a little later: it is tagged by what it is.
      if (nodeId !== undefined)
        ctx.body = envoySnapshot(sources, snapshot.id, getNode({ nodeId, gateway }, sources).cluster);
      else if (!setTag(ctx, snapshotTag(snapshot, sources.graph))) ctx.body = snapshotRecord(snapshot, sources.graph);
    },
  },
];

const envoySnapshot = ({ resourcesOf }: AdminSources, id: string, gateway: string) => ({
  id,
  gateway,
  resources: new LazyList(resourcesOf(gateway), envoyResourceRecord),
});
