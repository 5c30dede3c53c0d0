import { stringify } from 'yaml';

export type OutputFormat = 'table' | 'json' | 'yaml';

/** What a command has to say, for people or for programs. */
export function render<T>(value: T, format: OutputFormat, forPeople: (value: T) => string): string {
  if (format === 'json') return JSON.stringify(value, null, 2);
  // Equal parts of it may be one object; people and other programs want to read them where they are.
  return format === 'yaml' ? stringify(value, { aliasDuplicateObjects: false }).trimEnd() : forPeople(value);
}
