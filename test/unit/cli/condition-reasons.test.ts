import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { conditionReasons } from '../../../src/gateway-api/index.ts';

const graph = fileURLToPath(new URL('../../../src/graph', import.meta.url));

test('every reason that conditions are given is explained', (t) => {
  const text = readdirSync(graph)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(graph, file), 'utf8'))
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
