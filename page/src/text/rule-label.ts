/** What a rule of a route is called: by its name, else by its position from 0. A name of digits alone would look like a position. */
export const ruleLabel = (rule: number, name: string | null): string =>
  name === null || /^\d+$/.test(name) ? String(rule) : name;
