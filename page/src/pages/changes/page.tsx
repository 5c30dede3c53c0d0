import { useMemo } from 'preact/hooks';
import { apiUrl, type Event } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import { FilterBox, fitsQuery, Loaded, Title } from '../../parts/index.ts';
import { link, queryValue } from '../../router/index.ts';
import { Comparison, newest } from './compare.tsx';
import { type Change, changesOf } from './group.ts';
import { OneChange } from './one-change.tsx';
import { changeWords } from './words.ts';

/** The most that the API gives; objects are in the events of snapshots. */
const asked = { types: 'snapshot,node,problem', limit: 500 } as const;
/** More would make a page that no user reads and no browser shows at once. */
const mostShown = 60;

/** What changed, how long until proxies had it, and what they refused. */
export function Page() {
  const words = changeWords();
  const events = useLive<readonly Event[]>(apiUrl('/v1/events/recent', asked), {
    on: ['snapshot', 'node', 'problem'],
  });
  return (
    <>
      <Title at={events.at}>{words.title}</Title>
      <p class="quiet">{words.intro}</p>
      {queryValue('from') + queryValue('to') === '' ? (
        <p>
          <a href={link('changes', [], { to: newest })}>{words.compare}</a>
        </p>
      ) : (
        <Comparison />
      )}
      <Loaded live={events}>{(data) => <Changes events={data} />}</Loaded>
    </>
  );
}

function Changes({ events }: { readonly events: readonly Event[] }) {
  const words = changeWords();
  const changes = useMemo(() => changesOf(events), [events]);
  const fits = fitsQuery(queryValue('q'));
  const fitting = changes.filter((change) => fits(textOf(change)));
  return (
    <>
      <FilterBox label={words.filter} status={words.shown(Math.min(fitting.length, mostShown), changes.length)} />
      {fitting.length === 0 ? (
        <p class="empty">{changes.length === 0 ? words.empty : words.none}</p>
      ) : (
        <ol class="changes">
          {fitting.slice(0, mostShown).map((change) => (
            <OneChange key={`${change.at.getTime()} ${change.snapshot}`} change={change} />
          ))}
        </ol>
      )}
    </>
  );
}

const textOf = ({ snapshot = '', changed, rejections, problems, comings }: Change): string =>
  [
    snapshot,
    ...[...changed, ...problems].map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`),
    ...problems.map(({ message }) => message),
    ...rejections.map(({ nodeId, message }) => `${nodeId} ${message}`),
    ...comings.map(({ nodeId }) => nodeId),
  ]
    .join(' ')
    .toLowerCase();
