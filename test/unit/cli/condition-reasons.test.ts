import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { conditionReasons } from '../../../src/gateway-api/index.ts';

const rooms = ['graph', 'controllers'].map((room) => fileURLToPath(new URL(`../../../src/${room}`, import.meta.url)));

test('every reason that conditions are given is explained', (t) => {
  const text = rooms
    .flatMap((room) => readdirSync(room, { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const written = [...text.matchAll(/reason: '([A-Z]\w+)'|[fF]ault\('([A-Z]\w+)'/g)].map(
    (found) => found[1] ?? found[2],
  );
  const reasons = new Set(written as string[]);
  t.true(reasons.size > 20);
  t.deepEqual(
    [...reasons].filter((reason) => !(reason in conditionReasons)),
    [],
  );
});
