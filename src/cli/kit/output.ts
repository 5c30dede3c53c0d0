import { stringify } from 'yaml';

/** `wide` and `name` are of lists alone: a table with every column and whole values, and `KIND/NAME`, one a line. */
export type OutputFormat = 'table' | 'wide' | 'name' | 'json' | 'yaml';

/** What a command has to say, for people or for programs. */
export function render<T>(value: T, format: OutputFormat, forPeople: (value: T) => string): string {
  if (format === 'json') return JSON.stringify(value, null, 2);
  // Equal parts of it may be one object; people and other programs want to read them where they are.
  return format === 'yaml' ? stringify(value, { aliasDuplicateObjects: false }).trimEnd() : forPeople(value);
}
