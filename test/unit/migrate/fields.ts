import { readFileSync } from 'node:fs';
import type { Rule, Table } from '../../../src/migrate/index.ts';

/** `KIND.PATH` and its type, of all fields of another gateway’s definitions, from a file beside this one. */
export const readFields = (file: string): readonly (readonly [path: string, type: string])[] =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(': ') as [string, string]);

/** Those of the fields below a path of which a table has no rule. */
export const unknownTo = (table: Table, below: string, fields: ReturnType<typeof readFields>): readonly string[] =>
  fields
    .filter(([path]) => path.startsWith(`${below}.`))
    .map(([path]) => path.slice(below.length + 1))
    .filter((path) => !isKnown({ in: table }, path));

/** Whether a rule says what happens to the field at a path; the path's members are those that are left. */
function isKnown(rule: Rule | undefined, rest: string): boolean {
  if (rule === undefined) return false;
  if ('in' in rule) {
    const [, name = '', below = ''] = /^\.?([^.[]+)(.*)$/.exec(rest) ?? [];
    return isKnown(Object.hasOwn(rule.in, name) ? rule.in[name] : undefined, below);
  }
  if (!('by' in rule)) return true;
  const path = rest.replace(/^\./, '');
  return (
    path === '' ||
    path === '[]' ||
    [...rule.knows, ...(rule.loses ?? [])].some(
      (known) =>
        path === known || path.startsWith(`${known}.`) || path.startsWith(`${known}[`) || known.startsWith(`${path}.`),
    )
  );
}
