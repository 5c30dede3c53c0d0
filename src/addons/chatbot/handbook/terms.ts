/** What a text is found by: its words, those inside of `camelCase` too, without their endings. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const word of text.match(/[\p{L}\p{N}]+/gu) ?? []) {
    terms.push(stemOf(word));
    const parts = word.split(/(?<=[a-z0-9])(?=[A-Z])/);
    if (parts.length > 1) terms.push(...parts.map(stemOf));
  }
  return terms.filter((term) => !skipped.has(term));
}

/** Plural and verb are found by each other: `retries`, `retried` and `retry`; that is enough for a manual of some hundred pages. */
function stemOf(word: string): string {
  const lower = word.toLowerCase();
  if (lower.length < 5) return lower.length > 3 && /[^s]s$/.test(lower) ? lower.slice(0, -1) : lower;
  return lower
    .replace(/(ies|ied)$/, 'y')
    .replace(/(?<=[^aeiou]{2}|[aeiou][^aeiou])(ing|ed)$/, '')
    .replace(/(?<=[^s])s$/, '')
    .replace(/(?<=.{4})e$/, '');
}

/** Words that every page has. */
const skipped: ReadonlySet<string> = new Set(
  'a an and are as at be by can do does for from get has have how i if in into is it its like me my not of on one or our set should so that the their there they thi to up use using want wa we what when where which who why will with would you your need make way enabl configur add writ'.split(
    / /,
  ),
);
