import { useMemo, useRef } from 'preact/hooks';
import { type MapGraph, type MapNode, neighbour } from './graph.ts';
import { type Drawing, useLayout } from './layout.ts';
import { placeOfNode } from './place-of-node.ts';
import { mapWords, typeWord } from './words.ts';

const [width, height] = [190, 40];
/** Characters of a name that fit; the whole name is in the title. */
const fitting = 24;
const signs: Readonly<Record<MapNode['status'], string>> = { healthy: '✔', degraded: '⚠', failed: '✖', unknown: '?' };

/** Nodes are links; edges are lines between them. */
export function Picture({ graph }: { readonly graph: MapGraph }) {
  const words = mapWords();
  const { nodes, edges } = graph;
  const key = useMemo(
    () => JSON.stringify([nodes.map(({ id }) => id), edges.map(({ from, to }) => [from, to])]),
    [graph],
  );
  const drawing = useLayout(
    nodes.length,
    edges.map(({ from, to }) => [from, to] as const),
    key,
  );
  const place = useRef<SVGSVGElement>(null);
  if (drawing === undefined) return <p class="quiet">{words.drawing}</p>;
  if (drawing === 'failed') return <p class="notice warning">{words.failed}</p>;
  const { width: all, height: high } = drawing;
  if (drawing.nodes.length !== nodes.length) return null;
  const move = (event: KeyboardEvent): void => {
    const at = Number((event.target as Element).closest('[data-node]')?.getAttribute('data-node') ?? Number.NaN);
    const next = neighbour(graph, at, event.key, drawing.nodes);
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    place.current?.querySelector<SVGAElement>(`[data-node="${next}"]`)?.focus();
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard
    <div class="map" role="region" tabIndex={0} aria-label={words.title}>
      <svg ref={place} width={all} height={high} viewBox={`0 0 ${all} ${high}`} onKeyDown={move}>
        <title>{words.picture}</title>
        <Edges graph={graph} drawing={drawing} />
        {nodes.map((node, at) => (
          <Node key={node.id} node={node} at={at} x={drawing.nodes[at]?.x ?? 0} y={drawing.nodes[at]?.y ?? 0} />
        ))}
      </svg>
    </div>
  );
}

function Edges({ graph: { edges }, drawing }: { readonly graph: MapGraph; readonly drawing: Drawing }) {
  return (
    <g aria-hidden="true">
      {edges.map(({ from, to, type, status }, at) => (
        <polyline
          key={`${from} ${to} ${type}`}
          class={`edge ${status}`}
          points={(drawing.edges[at] ?? []).map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`).join(' ')}
        />
      ))}
    </g>
  );
}

function Node({
  node,
  at,
  x,
  y,
}: {
  readonly node: MapNode;
  readonly at: number;
  readonly x: number;
  readonly y: number;
}) {
  const characters = [...node.label];
  const label = characters.length > fitting ? `${characters.slice(0, fitting - 1).join('')}…` : node.label;
  return (
    <a href={placeOfNode(node)} data-node={at} class={`node ${node.status}`}>
      <title>{nodeText(node)}</title>
      <g transform={`translate(${x - width / 2} ${y - height / 2})`}>
        <rect width={width} height={height} rx={6} />
        <text x={8} y={16} class="type">
          {signs[node.status]} {typeWord(node)}
        </text>
        <text x={8} y={32} class="label">
          {label}
        </text>
      </g>
    </a>
  );
}

/** The whole name, how it is, and why. */
function nodeText(node: MapNode): string {
  const words = mapWords();
  const { type, namespace, name, label, status, detail, count } = node;
  const object = count !== undefined ? label : namespace === '' || type === 'listener' ? name : `${namespace}/${name}`;
  const state = status === 'failed' ? words.failed_ : words[status];
  return `${typeWord(node)} ${object}: ${state}${detail === '' ? '' : `, ${detail}`}`;
}
