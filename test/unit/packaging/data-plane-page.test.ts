import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { root } from '../../../scripts/paths.mjs';
import { faultReasons } from '../../../src/agent/faults.ts';

const page = readFileSync(join(root, 'docs/data-plane.md'), 'utf8');

test('every failure of the table is a test', (t) => {
  const rows = [...page.matchAll(/\| \[[\w-]+\]\(\.\.\/(test\/[\w/.-]+) "(.+)"\) \|$/gm)];
  t.true(rows.length > 15);
  for (const [, file = '', title = ''] of rows) {
    // Also of `thorough(test)(…)`, with the title on the next line.
    const source = readFileSync(join(root, file), 'utf8')
      .replaceAll("\\'", "'")
      .replaceAll(/\btest(?:\.serial)?\)*\(\s*/g, 'test(');
    t.true(source.includes(`test('${title}'`) || source.includes(`test("${title}"`), `${file}: ${title}`);
  }
});

test('every reason that the agent gives is explained', (t) => {
  // These say themselves what they are.
  const plain = ['draining', 'envoy_not_live'];
  for (const reason of faultReasons.filter((each) => !plain.includes(each)))
    t.true(page.includes(`\`${reason}\``), reason);
});
