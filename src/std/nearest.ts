/**
 * `; did you mean "x"?` when one of the known words is near enough to be what was meant, else nothing: a third of its letters may be wrong.
 */
export function didYouMean(word: string, known: readonly string[]): string {
  const nearest = nearestWithin(word, known, (name) => Math.max(1, Math.floor(name.length / 3)));
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

/** The known key with the fewest typing errors in between, if those are at most half of the word: keys of one place are few and unlike each other. */
export const nearestKey = (word: string, known: readonly string[]): string | undefined =>
  nearestWithin(word, known, () => Math.max(2, word.length / 2));

function nearestWithin(
  word: string,
  known: readonly string[],
  mostEdits: (name: string) => number,
): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance <= mostEdits(name) && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name, distance };
  }
  return best?.name;
}

/** Above this difference in length two words are never near: it bounds the work for hostile names. */
const mostLongerBy = 20;

/** Insertions, deletions and replacements of one letter, and swaps of two neighbours (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > mostLongerBy) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, at(i - 2, j - 2) + 1);
      row.push(least);
    }
  }
  return at(a.length, b.length);
}
