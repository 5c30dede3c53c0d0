import { ruleLabel } from '../../text/rule-label.ts';

/** What is the same for several rules of a route, and which rules these are, such as `0, health, 2–5`. */
export interface OfRules<Entry> {
  readonly key: string;
  readonly entry: Entry;
  readonly rules: string;
}

/** An entry at one rule of a route. */
export interface AtRule {
  readonly rule: number | null;
  readonly ruleName: string | null;
}

/** `sameBy`: what has to be equal of entries that are one line. In the order of the first of each. */
export const byRules = <Entry extends AtRule>(
  entries: readonly Entry[],
  sameBy: (entry: Entry) => unknown,
): readonly OfRules<Entry>[] =>
  [...Map.groupBy(entries, (entry) => JSON.stringify(sameBy(entry)))].flatMap(([key, same]) => {
    const [entry] = same;
    return entry === undefined ? [] : [{ key, entry, rules: labelsOf(same) }];
  });

interface Span {
  readonly label: string;
  readonly first: number;
  last: number;
}

/** By position; rules in a row without names are one span. */
function labelsOf(entries: readonly AtRule[]): string {
  const byPosition = new Map(entries.flatMap(({ rule, ruleName }) => (rule === null ? [] : [[rule, ruleName]])));
  const spanned: Span[] = [];
  for (const [rule, name] of [...byPosition].sort(([a], [b]) => a - b)) {
    const label = ruleLabel(rule, name);
    const span = spanned.at(-1);
    const joins = label === String(rule) && span?.label === String(span?.first) && rule === span?.last + 1;
    if (span && joins) span.last = rule;
    else spanned.push({ label, first: rule, last: rule });
  }
  return spanned.map(({ label, first, last }) => (first === last ? label : `${first}–${last}`)).join(', ');
}
