import test from 'ava';
import { growthOf, lowered } from '../../../scripts/ratchet.ts';

const findings = { first: ['a.ts:1: first', 'b.ts:2: first'], second: ['c.ts:3: second'] };

test('more findings than allowed are named; fewer, or as many, are not', (t) => {
  t.deepEqual(growthOf(findings, { first: 2, second: 5 }), []);
  t.regex(growthOf(findings, { first: 1, second: 1 }).join(), /a\.ts:1: first[\s\S]*first: 2 found, at most 1 allowed/);
  t.is(growthOf(findings, {}).length, 2);
});

test('an update lowers counts and never raises one', (t) => {
  t.deepEqual(lowered(findings, { first: 1, second: 5, gone: 3 }), { first: 1, second: 1 });
});
