import { readFileSync } from 'node:fs';
import test from 'ava';
import { withManagedKinds } from '../../../scripts/generate/managed-kinds.ts';

const page = readFileSync(new URL('../../../docs/managed-resources.md', import.meta.url), 'utf8');

test('the page of managed resources lists every kind that the admin API writes, in its order', (t) => {
  t.is(withManagedKinds(page), page);
  t.is(withManagedKinds(page.replace(', HTTPRoute', '')), page);
});
