import { useMemo } from 'preact/hooks';
import { apiUrl, type Gateway, type Topology } from '../../api/index.ts';
import { trafficEvents, useLive } from '../../live/index.ts';
import { Age, Choice, chosen, Loaded } from '../../parts/index.ts';
import { changeQuery, queryValue } from '../../router/index.ts';
import { EdgeTable } from './edge-table.tsx';
import { graphOf } from './graph.ts';
import { Picture } from './picture.tsx';
import { Pools } from './pools.tsx';
import { mapWords } from './words.ts';

const depths = ['5', '4', '3', '2', '1'] as const;
const groupings = ['auto', 'none', 'namespace'] as const;
/** No browser and no person can do with more. */
const mostNodes = 300;
/** What is asked for each; how many there are decides whether `auto` groups. */
const groupOf = { auto: { group: 'many' }, namespace: { group: 'namespace' }, none: {} } as const;

/** What depends on what, around one object: a Gateway at first. */
export function Page() {
  const words = mapWords();
  const gateways = useLive<readonly Gateway[]>(apiUrl('/v1/gateways', { limit: 200 }), { everyMs: 60_000 });
  const names = (gateways.data ?? []).map(({ namespace, name }) => `Gateway/${namespace}/${name}`);
  const focus = queryValue('focus') || (names[0] ?? '');
  const options = focus === '' || names.includes(focus) ? names : [focus, ...names];
  return (
    <>
      <h1>{words.title}</h1>
      <div class="tools">
        <label class="choice">
          {words.focus}{' '}
          <select value={focus} onChange={(event) => changeQuery({ focus: event.currentTarget.value })}>
            {options.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Choice name="depth" label={words.depth} options={depths.map((depth) => [depth, depth])} />
        <Choice name="group" label={words.group} options={groupings.map((name) => [name, words[name]])} />
      </div>
      {focus === '' ? (
        <Loaded live={gateways}>{() => <p class="empty">{words.empty}</p>}</Loaded>
      ) : (
        <Around focus={focus} />
      )}
    </>
  );
}

function Around({ focus }: { readonly focus: string }) {
  const words = mapWords();
  const [depth, grouping] = [chosen('depth', depths), chosen('group', groupings)];
  const asked = { focus, depth, limit: mostNodes } as const;
  const live = useLive<Topology>(apiUrl('/v1/topology', { ...asked, ...groupOf[grouping] }), { on: trafficEvents });
  if (live.error?.status === 404) return <p class="empty">{words.gone}</p>;
  return (
    <>
      <Age at={live.at} />
      {grouping === 'auto' && live.data?.nodes.some(({ count }) => count !== undefined) && (
        <p class="quiet">{words.grouped}</p>
      )}
      <Loaded live={live}>{(data) => <Shown topology={data} />}</Loaded>
    </>
  );
}

function Shown({ topology }: { readonly topology: Topology }) {
  const words = mapWords();
  const graph = useMemo(() => graphOf(topology), [topology]);
  const hidden = (topology.total ?? 0) - graph.nodes.length;
  return (
    <>
      {hidden > 0 && <p class="notice warning">{words.more(graph.nodes.length, hidden)}</p>}
      <Picture graph={graph} />
      <Pools graph={graph} />
      <EdgeTable graph={graph} />
    </>
  );
}
