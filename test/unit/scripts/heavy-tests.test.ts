import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { heavyTests } from '../../../scripts/heavy-tests.ts';
import { root } from '../../../scripts/paths.mjs';

test('every heavy file is there', (t) => {
  for (const file of Object.keys(heavyTests)) t.true(existsSync(join(root, file)), file);
});
