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

/**
 * Insertions, deletions and replacements of one letter, and swaps of two neighbours (optimal string alignment). Infinity when there are more
 * than `atMost`: it gives up as soon as that is certain.
 */
export function editDistance(a: string, b: string, atMost = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) > Math.min(mostLongerBy, atMost)) return Number.POSITIVE_INFINITY;
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const row = nextRow({ a, b, i, above, before });
    // A swap reaches over one row.
    if (Math.min(...row) > atMost && Math.min(...above) > atMost) return Number.POSITIVE_INFINITY;
    [before, above] = [above, row];
  }
  const distance = above[b.length] ?? 0;
  return distance > atMost ? Number.POSITIVE_INFINITY : distance;
}

interface Row {
  readonly a: string;
  readonly b: string;
  readonly i: number;
  /** The row above, and the one above that. */
  readonly above: readonly number[];
  readonly before: readonly number[];
}

/** How far the first `i` letters of one word are from the first of the other, for each number of these. */
function nextRow({ a, b, i, above, before }: Row): readonly number[] {
  const row = [i];
  const letter = a[i - 1];
  for (let j = 1; j <= b.length; j += 1) {
    const same = (above[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1);
    let least = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, same);
    if (i > 1 && j > 1 && letter === b[j - 2] && a[i - 2] === b[j - 1])
      least = Math.min(least, (before[j - 2] ?? 0) + 1);
    row.push(least);
  }
  return row;
}
