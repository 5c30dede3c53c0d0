import { FILE_HEADERS_ONLY } from 'diff';
import { stringify } from 'yaml';
import { textDiff } from '../../std/text-diff/index.ts';

/** Two values as YAML, line by line, as `diff -u` shows files; empty when they read the same. `null`: there is nothing. */
export function unified(
  names: { readonly before: string; readonly after: string },
  before: unknown,
  after: unknown,
): string {
  const [from, to] = [textOf(before), textOf(after)];
  if (from === to) return '';
  const name = (value: unknown, there: string) => (value === null || value === undefined ? '/dev/null' : there);
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  const [fromName, toName] = [name(before, names.before), name(after, names.after)];
  return textDiff(fromName, toName, from, to, options).trimEnd();
}

const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : stringify(value, { aliasDuplicateObjects: false, sortMapEntries: true, lineWidth: 0 });

/** Said where two sides read the same and are not. */
export const hiddenDifference = (name: string): string => `${name}: what differs is not shown, for it is secret`;
