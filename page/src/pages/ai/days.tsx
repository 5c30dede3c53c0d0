import type { AiCost } from '../../api/index.ts';
import { now } from '../../live/index.ts';
import { Name } from '../../parts/index.ts';
import { Cost, Table } from './figures.tsx';
import { aiWords } from './words.ts';

/** The range with as many whole days before today as a chosen one, and yesterday at least: a window of 24 h has but a part of it. */
export const rangeOfDays = (range: string): string => (range === '24h' ? '7d' : range);

const dayMs = 86_400_000;
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const yesterday = (): string => dateOf(now.value.getTime() - dayMs);

/** What yesterday cost, of all models that have a price; null where none has. */
export function costOfYesterday({ trend }: AiCost): number | null {
  const costs = trend.flatMap(({ date, cost }) => (date === yesterday() && cost !== null ? [cost] : []));
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
}

/** Cost by day and model, the newest first; the first day of the window is left out, because the window begins within it. */
export function Days({ cost: { trend, window } }: { readonly cost: AiCost }) {
  const words = aiWords();
  const rows = trend.filter(({ date }) => date > window.from.slice(0, 10)).toReversed();
  if (rows.length === 0) return null;
  const names: Readonly<Record<string, string>> = {
    [dateOf(now.value.getTime())]: words.soFar,
    [yesterday()]: words.yesterday,
  };
  return (
    <Table label={words.byDay} heads={[words.day_, words.model, words.cost]}>
      {rows.map(({ date, model, cost }) => (
        <tr key={`${date} ${model}`} data-day={date}>
          <th scope="row">
            {date} {names[date] !== undefined && <span class="quiet">{names[date]}</span>}
          </th>
          <td>
            <Name>{model}</Name>
          </td>
          <td>
            <Cost value={cost} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
