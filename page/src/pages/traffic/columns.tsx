import type { Traffic } from '../../api/index.ts';
import {
  ExplainedCode,
  type GridColumn,
  gathered,
  Name,
  ObjectLink,
  type Series,
  Spark,
  Unknown,
} from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { count, percent, rate } from '../../text/index.ts';
import { trafficWords } from './words.ts';

type Item = Traffic['items'][number];

/** Bars of the small picture of a row. */
const bars = 20;
/** Flags named in a row, the most frequent first. */
const mostFlags = 2;

/** What a row is of, in words. */
export function nameOf({ namespace, name, reason }: Item): string {
  if (name === null) return trafficWords()[reason ?? 'other'];
  return namespace ? `${namespace}/${name}` : name;
}

export function columnsOf({ from, to }: Traffic['window']): readonly GridColumn<Item>[] {
  const words = trafficWords();
  const [start, end] = [from, to].map((time) => Date.parse(time) / 1000) as [number, number];
  const share = ({ requests, byClass }: Item, status: '4xx' | '5xx') =>
    percent(byClass[status] / Math.max(1, requests));
  const number = { isNumber: true, width: '5rem' } as const;
  return [
    { key: 'name', title: words.name, width: 'minmax(10rem, 2fr)', cell: (item) => <Of item={item} /> },
    { key: 'rate', title: words.rate, ...number, cell: ({ perSecond }) => rate(perSecond) },
    { key: '4xx', title: words.clientErrors, ...number, width: '4rem', cell: (item) => share(item, '4xx') },
    { key: '5xx', title: words.serverErrors, ...number, width: '4rem', cell: (item) => share(item, '5xx') },
    { key: 'p50', title: words.p50, ...number, width: '6rem', cell: ({ p50Ms }) => <AtMost ms={p50Ms} /> },
    { key: 'p99', title: words.p99Title, ...number, width: '6rem', cell: ({ p99Ms }) => <AtMost ms={p99Ms} /> },
    {
      key: 'time',
      title: words.time,
      width: '8rem',
      cell: ({ series = [], requests, errors }) => (
        <Spark
          series={gathered(series as unknown as Series, start, end, bars)}
          label={words.spark(requests, count(errors))}
        />
      ),
    },
    { key: 'fails', title: words.fails, width: 'minmax(10rem, 2fr)', cell: ({ flags }) => <Fails flags={flags} /> },
  ];
}

function Of({ item }: { readonly item: Item }) {
  const { kind, namespace, name, reason, gateway } = item;
  if (name === null || kind === null)
    return (
      <>
        {trafficWords()[reason ?? 'other']}{' '}
        {gateway !== null && (
          <span class="quiet">
            <Name>{gateway}</Name>
          </span>
        )}
      </>
    );
  if (kind === 'Service')
    return (
      <a href={link('backends', [namespace ?? '', name])}>
        <Name>{nameOf(item)}</Name>
      </a>
    );
  if (kind === 'Listener')
    return (
      <a href={link('listeners', [name])}>
        <Name>{name}</Name>
      </a>
    );
  return <ObjectLink object={{ kind, namespace, name }} withKind={false} />;
}

/** Durations are counted in buckets: this is the upper bound of one. */
export function AtMost({ ms }: { readonly ms: number | null }) {
  const words = trafficWords();
  return ms === null ? <Unknown why={words.beyond} /> : <span>{words.most(count(ms))}</span>;
}

function Fails({ flags }: { readonly flags: Readonly<Record<string, number>> }) {
  const words = trafficWords();
  const most = Object.entries(flags)
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostFlags);
  return (
    <>
      {most.map(([flag, times]) => (
        <span key={flag}>
          {words.times(count(times))} <ExplainedCode code={flag} />{' '}
        </span>
      ))}
    </>
  );
}
