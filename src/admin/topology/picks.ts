import { picksLately } from '../picks/lately.ts';
import type { AdminSources } from '../sources.ts';
import type { Topology, TopologyNode } from './record.ts';

const isPool = ({ kind }: TopologyNode): boolean => kind === 'InferencePool';

/** Says of each pool which of its servers answered lately, and whether its picker chose them. Not kept with the topology: it differs with every report. */
export async function withPicks(topology: Topology, sources: AdminSources): Promise<Topology> {
  if (!topology.nodes.some(isPool)) return topology;
  const lately = await picksLately(sources);
  const poolOf = ({ namespace, name }: TopologyNode): string => `${namespace}/${name.replace(/:\d+$/, '')}`;
  const nodes = topology.nodes.map((node) =>
    isPool(node) ? { ...node, picks: lately.get(poolOf(node)) ?? [] } : node,
  );
  return { ...topology, nodes };
}
