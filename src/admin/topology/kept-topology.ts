import { nodeSync } from '../nodes/node-sync.ts';
import { KeptByGraph, originOf } from '../resource/kept.ts';
import type { AdminSources } from '../sources.ts';
import { type BackendTroubles, indexTroubles } from '../traffic/backend-troubles.ts';
import { askStanding } from '../traffic/standing.ts';
import { faultWords } from '../traffic/trouble-words.ts';
import { collect } from './collect.ts';
import type { WholeTopology } from './whole.ts';

const kept = new KeptByGraph<WholeTopology>();

/** The topology as it is, made again only where something has changed. */
export async function wholeTopology(sources: AdminSources): Promise<WholeTopology> {
  const troubles = indexTroubles(await askStanding(sources));
  const now = () => originOf(sources.graph, JSON.stringify([proxiesOf(sources), failingOf(troubles)]));
  return await kept.of(sources.graph).get(now, (former) => collect(sources, troubles, former));
}

function proxiesOf({ graph, nodes }: AdminSources): unknown {
  const id = graph.snapshot()?.id;
  return nodes.list().map((node) => {
    const { state, message } = nodeSync(node, id);
    return [node.nodeId, node.gateway, node.connected, state, message];
  });
}

/** Without counts, which differ all the time and are not shown. */
const failingOf = (troubles: BackendTroubles): unknown =>
  [...troubles].map(([port, standing]) => [
    port,
    standing.endpoints.map(({ address }) => address),
    standing.troubles.map((trouble) => [trouble.route, trouble.errors < trouble.requests, faultWords(trouble)]),
  ]);
