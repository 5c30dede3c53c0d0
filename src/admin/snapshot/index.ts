import type * as ir from '../../ir/index.ts';
import { HttpError, invalidQuery, oneOf, setTag } from '../http/index.ts';
import { getNode, whichNode } from '../nodes/get-node.ts';
import { type Endpoints, get } from '../resource/endpoint.ts';
import { lazily } from '../resource/shown.ts';
import type { AdminSources } from '../sources.ts';
import { envoyResourceRecord } from './envoy-resources.ts';
import { envoySnapshot, snapshot as record } from './record.ts';
import { snapshotRecord, snapshotTag } from './snapshot-record.ts';

/** `/v1/snapshot`: the intermediate representation; with `format=envoy&node=NODE` what that data plane is sent. */
export const snapshot: Endpoints<AdminSources> = {
  endpoints: [
    get({
      path: '/v1/snapshot',
      summary: 'The whole intermediate representation, or what one data plane is sent of it',
      answer: record.or(envoySnapshot),
      query: {
        format: '`ir`, or `envoy`: the resources of one data plane in protobuf JSON, keys redacted',
        node: 'With `format=envoy`: which data plane',
        ...whichNode('data planes'),
      },
      errors: ['query_invalid', 'node_not_found', 'not_ready'],
      handle({ query, ctx }, sources: AdminSources) {
        const nodeId = nodeOf(query);
        const found = getSnapshot(sources);
        // What proxies are sent follows the snapshot a little later: it is tagged by what it is.
        if (nodeId !== undefined)
          return envoySnapshotOf(
            found.id,
            getNode({ nodeId, gateway: query.get('gateway') }, sources).cluster,
            sources,
          );
        return setTag(ctx, snapshotTag(found, sources.graph)) ? undefined : snapshotRecord(found, sources.graph);
      },
    }),
  ],
};

/** The newest snapshot. Throws a 503 before the first. */
export function getSnapshot({ graph }: Pick<AdminSources, 'graph'>): ir.Snapshot {
  const found = graph.snapshot();
  if (found === undefined) throw new HttpError('not_ready', 'no snapshot has been built yet');
  return found;
}

/** The data plane whose resources are asked for; undefined: those of none. */
function nodeOf(query: ReadonlyMap<string, string>): string | undefined {
  const format = oneOf('format', query.get('format') ?? 'ir', ['ir', 'envoy']);
  const nodeId = query.get('node');
  if (format === 'envoy' && nodeId === undefined)
    throw invalidQuery('node', 'needed with format=envoy: proxies of different Gateways are sent different resources');
  if (format === 'ir' && nodeId !== undefined) throw invalidQuery('node', 'known with format=envoy only');
  if (query.has('gateway') && nodeId === undefined) throw invalidQuery('gateway', 'known with node only');
  return nodeId;
}

const envoySnapshotOf = (id: string, gateway: string, { resourcesOf }: AdminSources) => ({
  id,
  gateway,
  resources: lazily(resourcesOf(gateway), envoyResourceRecord),
});
