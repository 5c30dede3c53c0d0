/** The first of some names, and how many more there are: `a, b and 3 more`. */
export function firstNames(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
