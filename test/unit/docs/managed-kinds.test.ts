import { readFileSync } from 'node:fs';
import test from 'ava';
import { managedKinds } from '../../../src/admin/managed-resources/managed-kinds.ts';

const page = readFileSync(new URL('../../../docs/managed-resources.md', import.meta.url), 'utf8');

test('the page of managed resources lists every kind that the admin API writes, in its order', (t) => {
  const [, list = ''] = page.match(/^\| kinds, with their short names \|\n\|---\|\n\| (.*) \|$/m) ?? [];
  const listed = list.split(', ');
  t.deepEqual(
    listed,
    managedKinds.map(({ name, shortNames: [short] }) => (short === undefined ? name : `${name} (\`${short}\`)`)),
  );
});
