import test from 'ava';
import { ruleLabel } from '../../../src/gateway-api/index.ts';

test('a rule is called by its name, and by its position where it has none or one that looks like a position', (t) => {
  t.is(ruleLabel(3, 'health'), 'health');
  t.is(ruleLabel(3, 'v1'), 'v1');
  for (const name of [undefined, null, '1', '007']) t.is(ruleLabel(3, name), '3', String(name));
});
