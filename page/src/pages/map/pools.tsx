import { Name, Panel, PickList } from '../../parts/index.ts';
import type { MapGraph, MapNode } from './graph.ts';
import { placeOfNode } from './place-of-node.ts';
import { mapWords } from './words.ts';

/** The pools of the map: by what picks their model servers, and which of these answered lately. */
export function Pools({ graph: { nodes, edges } }: { readonly graph: MapGraph }) {
  const words = mapWords();
  const pools = nodes.flatMap((node, at) => (node.picks === undefined ? [] : [{ node, at }]));
  if (pools.length === 0) return null;
  const pickerOf = (at: number): MapNode | undefined =>
    nodes[edges.find(({ from, type }) => from === at && type === 'pick')?.to ?? -1];
  return (
    <Panel title={words.pools}>
      <ul>
        {pools.map(({ node, at }) => (
          <Pool key={node.id} pool={node} picker={pickerOf(at)} />
        ))}
      </ul>
    </Panel>
  );
}

function Pool({ pool, picker }: { readonly pool: MapNode; readonly picker: MapNode | undefined }) {
  const words = mapWords();
  const { id, picks = [], detail, status } = pool;
  // While all is well the picker's name is all that there is to know.
  const isPlain = picker !== undefined && status === 'healthy';
  return (
    <li data-pool={id}>
      <NodeName node={pool} />
      {picker !== undefined && (
        <>
          , {words.picker} <NodeName node={picker} />
        </>
      )}{' '}
      {!isPlain && <span class="quiet">{detail}</span>}
      {picks.length === 0 && picker !== undefined && <p class="quiet">{words.noPicks}</p>}
      <PickList picks={picks} />
    </li>
  );
}

const NodeName = ({ node }: { readonly node: MapNode }) => (
  <a href={placeOfNode(node)}>
    <Name>{`${node.namespace}/${node.name}`}</Name>
  </a>
);
