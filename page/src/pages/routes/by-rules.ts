/** What is the same for several rules of a route, and which rules these are, such as `0, 2–5`. */
export interface OfRules<Entry> {
  readonly key: string;
  readonly entry: Entry;
  readonly rules: string;
}

/** `sameBy`: what has to be equal of entries that are one line. In the order of the first of each. */
export const byRules = <Entry extends { readonly rule: number | null }>(
  entries: readonly Entry[],
  sameBy: (entry: Entry) => unknown,
): readonly OfRules<Entry>[] =>
  [...Map.groupBy(entries, (entry) => JSON.stringify(sameBy(entry)))].flatMap(([key, same]) => {
    const [entry] = same;
    return entry === undefined ? [] : [{ key, entry, rules: spans(same.flatMap(({ rule }) => rule ?? [])) }];
  });

function spans(numbers: readonly number[]): string {
  const spanned: [first: number, last: number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const span = spanned.at(-1);
    if (span && number <= span[1] + 1) span[1] = number;
    else spanned.push([number, number]);
  }
  return spanned.map(([first, last]) => (first === last ? String(first) : `${first}–${last}`)).join(', ');
}
