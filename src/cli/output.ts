import { stringify } from 'yaml';

export type OutputFormat = 'table' | 'json' | 'yaml';

/** What a command has to say, for people or for programs. */
export function render<T>(value: T, format: OutputFormat, forPeople: (value: T) => string): string {
  if (format === 'json') return JSON.stringify(value, null, 2);
  return format === 'yaml' ? stringify(value).trimEnd() : forPeople(value);
}
