import { setTimeout as delay } from 'node:timers/promises';
import { counted } from '../../std/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import type { CliIo } from '../kit/io.ts';
import { type ListOptions, listText } from '../kit/list.ts';
import { render } from '../kit/output.ts';
import { textShower } from '../kit/screen.ts';
import type { Column } from '../kit/table.ts';
import type { Traffic, TrafficItem } from '../kit/traffic.ts';
import { reportLost, untilInterrupted } from '../kit/watch-shown.ts';

export interface TrafficQuery {
  readonly by: string;
  readonly window: string;
  readonly sort: string;
  readonly limit: number;
  readonly namespace?: string;
}

export function readTraffic(
  client: AdminClient,
  { by, window, sort, limit, namespace }: TrafficQuery,
): Promise<Traffic> {
  const query = new URLSearchParams({ by, window, sort, limit: String(limit), ...(namespace && { namespace }) });
  return client.get<Traffic>(`/v1/traffic?${query}`);
}

const nameOf = ({ namespace, name, reason }: TrafficItem): string => {
  if (name === null) return `(${(reason ?? 'unknown').replaceAll('_', ' ')})`;
  return namespace ? `${namespace}/${name}` : name;
};

const rateText = (perSecond: number): string => (perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(2));

/** Bounds of the buckets that counts are kept in: at most so long. */
const durationText = (ms: number | null): string => (ms === null ? '' : ms < 1_000 ? `≤${ms}ms` : `≤${ms / 1_000}s`);

const flagsOf = ({ flags }: TrafficItem): string[] =>
  Object.entries(flags)
    .sort(([, a], [, b]) => b - a)
    .map(([flag, count]) => `${flag} ${count}`);

const columns: readonly Column<TrafficItem>[] = [
  { heading: 'kind', isWide: true, cell: ({ kind }) => kind ?? '' },
  { heading: 'name', cell: nameOf },
  { heading: 'req/s', cell: ({ perSecond }) => rateText(perSecond) },
  { heading: 'errors', cell: ({ errors, errorRatio }) => (errors === 0 ? '0' : `${errors} (${percent(errorRatio)})`) },
  { heading: '2xx', isWide: true, cell: ({ byClass }) => String(byClass['2xx']) },
  { heading: '3xx', isWide: true, cell: ({ byClass }) => String(byClass['3xx']) },
  { heading: '4xx', cell: ({ byClass }) => String(byClass['4xx']) },
  { heading: '5xx', cell: ({ byClass }) => String(byClass['5xx']) },
  { heading: 'p50', cell: ({ p50Ms }) => durationText(p50Ms) },
  { heading: 'p99', cell: ({ p99Ms }) => durationText(p99Ms) },
  {
    heading: 'flags',
    cell: (item) => flagsOf(item).slice(0, 2).join(', '),
    wideCell: (item) => flagsOf(item).join(', '),
  },
];

const percent = (ratio: number | null): string => `${((ratio ?? 0) * 100).toFixed(1)}%`;

/** Totals, then a line for each; what is missing is said below. */
export function topText(
  traffic: Traffic,
  options: Pick<ListOptions, 'output' | 'headers'>,
  io: Pick<CliIo, 'width'>,
): string {
  const { items, totals, total, warnings } = traffic;
  const { output, headers } = options;
  if (output === 'json' || output === 'yaml') return render(traffic, output, String);
  const shape = {
    columns,
    nameOf: (item: TrafficItem) => `${(item.kind ?? 'none').toLowerCase()}/${nameOf(item)}`,
    empty: 'no request in this time',
  };
  const rows = listText(items, shape, options, io);
  if (output === 'name' || !headers) return rows;
  const errors = `${counted(totals.errors, 'error')}${totals.errors === 0 ? '' : ` (${percent(totals.errorRatio)})`}`;
  return [
    `${rateText(totals.perSecond)} requests a second, ${totals.requests} in all, ${errors}`,
    rows,
    ...(total > items.length ? [`… and ${total - items.length} more, see --limit`] : []),
    ...warnings.map((warning) => `note: ${warning}`),
  ].join('\n');
}

const refreshMs = 2_000;

/** Draws it again until interrupted; a server that is away for a while is waited for. */
export async function refresh(read: () => Promise<string>, io: CliIo): Promise<void> {
  const signal = untilInterrupted();
  const show = textShower<string>({ isTerminal: true, write: (text) => io.write(text) }, (text) => text);
  const lost = reportLost(io);
  show(await read());
  for (;;) {
    await delay(refreshMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    await read().then(show, lost);
  }
}
