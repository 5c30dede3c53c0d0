import { useSignal } from '@preact/signals';
import { Badge, Name, type State } from '../../parts/index.ts';
import { count } from '../../text/index.ts';
import type { MapEdge, MapGraph, MapNode } from './graph.ts';
import { placeOfNode } from './place-of-node.ts';
import { mapWords, typeWord } from './words.ts';

const states: Readonly<Record<MapNode['status'], State>> = {
  healthy: 'ok',
  degraded: 'warning',
  failed: 'failing',
  unknown: 'unknown',
};

/** The same edges for those who cannot see the picture. */
export function EdgeTable({ graph }: { readonly graph: MapGraph }) {
  const words = mapWords();
  const shown = useSignal(false);
  return (
    <details
      onToggle={(event) => {
        shown.value = event.currentTarget.open;
      }}
    >
      <summary>{words.table}</summary>
      {shown.value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard
        <div class="scrolls" tabIndex={0} role="region" aria-label={words.table}>
          <table class="edges">
            <thead>
              <tr>
                <th scope="col">{words.from}</th>
                <th scope="col">{words.to}</th>
                <th scope="col">{words.relation}</th>
                <th scope="col">{words.state}</th>
              </tr>
            </thead>
            <tbody>
              {graph.edges.map((edge) => (
                <Row key={`${edge.from} ${edge.to} ${edge.type}`} edge={edge} nodes={graph.nodes} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

function Row({ edge, nodes }: { readonly edge: MapEdge; readonly nodes: readonly MapNode[] }) {
  const words = mapWords();
  const [from, to] = [nodes[edge.from], nodes[edge.to]];
  if (from === undefined || to === undefined) return null;
  return (
    <tr>
      <th scope="row">
        <NodeLink node={from} />
      </th>
      <td>
        <NodeLink node={to} />
      </td>
      <td>
        {edge.type} {edge.weight !== null && words.weight(count(edge.weight))}
      </td>
      <td>
        <Badge state={states[edge.status]}>{edge.status === 'failed' ? words.failed_ : words[edge.status]}</Badge>
      </td>
    </tr>
  );
}

function NodeLink({ node }: { readonly node: MapNode }) {
  const { type, namespace, name, label } = node;
  const isGroup = node.count !== undefined;
  const isWhole = !isGroup && namespace !== '' && type !== 'listener';
  return (
    <a href={placeOfNode(node)}>
      {typeWord(node)} <Name>{isGroup ? label : isWhole ? `${namespace}/${name}` : name}</Name>
    </a>
  );
}
