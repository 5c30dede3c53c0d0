/** The candidate that takes the fewest edits from `word`; undefined when even that one is a different word. */
export function nearestKey(word: string, candidates: readonly string[]): string | undefined {
  let best: { readonly candidate: string; readonly edits: number } | undefined;
  for (const candidate of candidates) {
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (best === undefined || edits < best.edits) best = { candidate, edits };
  }
  return best !== undefined && best.edits <= Math.max(2, word.length / 2) ? best.candidate : undefined;
}

// Levenshtein, one row at a time: row[j] is the distance from the first i letters of `from` to the first j of `to`.
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const substitution = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
