import type { ComponentType } from 'preact';
import type { useLive } from '../../live/index.ts';
import { Loaded, Panel } from '../../parts/index.ts';
import { type AtRule, byRules, type OfRules } from './by-rules.ts';

/** The most that one answer has. */
export const mostEntries = 500;

interface Content<Entry> {
  readonly title: string;
  readonly live: ReturnType<typeof useLive<readonly Entry[]>>;
  /** What is said where there is no entry. */
  readonly none: string;
  /** `tuning`: what the list is of, for its style. */
  readonly of?: string;
  /** Entries as the API orders them by default. */
  readonly order?: (a: Entry, b: Entry) => number;
  /** See byRules. */
  readonly sameBy: (entry: Entry) => unknown;
  readonly Entry: ComponentType<Pick<OfRules<Entry>, 'entry' | 'rules'>>;
}

/** What policies say of a route: an entry for all rules of which they say the same. */
export function RulesPanel<Entry extends AtRule>({
  title,
  live,
  none,
  of,
  order,
  sameBy,
  Entry: Item,
}: Content<Entry>) {
  return (
    <Panel title={title} live={live}>
      <Loaded live={live}>
        {(entries) =>
          entries.length === 0 ? (
            <p class="quiet">{none}</p>
          ) : (
            <ol class={of === undefined ? 'access-parts' : `access-parts ${of}`}>
              {byRules(order ? entries.toSorted(order) : entries, sameBy).map((each) => (
                <Item key={each.key} entry={each.entry} rules={each.rules} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </Panel>
  );
}
