/** `; did you mean "x"?` when one of the known words is near enough to be what was meant, else nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const nearest = nearestOf(word, known);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}

/** The known word with the fewest typing errors in between, if those are at most a third of its letters. */
export function nearestOf(word: string, known: readonly string[]): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (
      distance <= Math.max(1, Math.floor(name.length / 3)) &&
      distance < (best?.distance ?? Number.POSITIVE_INFINITY)
    ) {
      best = { name, distance };
    }
  }
  return best?.name;
}

/** Insertions, deletions and replacements of one letter, and swaps of two neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  // Far apart by length alone; also bounds the work for hostile field names.
  if (Math.abs(a.length - b.length) > 20) return Math.abs(a.length - b.length);
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
