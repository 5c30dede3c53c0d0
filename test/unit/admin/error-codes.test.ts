import { readFileSync } from 'node:fs';
import test from 'ava';
import { errorCodes } from '../../../src/admin/index.ts';

const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');

test('docs/errors.md lists every code with its status, meaning and remedy, and no other', (t) => {
  const listed = page.split('\n').filter((line) => /^\| `/.test(line));
  const expected = Object.entries(errorCodes).map(
    ([code, { status, meaning, remedy }]) => `| \`${code}\` | ${status} | ${meaning} | ${remedy} |`,
  );
  t.deepEqual(listed, expected);
});
