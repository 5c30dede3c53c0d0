import test from 'ava';
import { growthOf, lowered } from '../../../scripts/ratchet.ts';

const findings = { told: ['a.ts:1: told', 'b.ts:2: told'], wish: ['c.ts:3: wish'] };

test('more findings than allowed are named; fewer, or as many, are not', (t) => {
  t.deepEqual(growthOf(findings, { told: 2, wish: 5 }), []);
  t.regex(growthOf(findings, { told: 1, wish: 1 }).join(), /a\.ts:1: told[\s\S]*told: 2 found, at most 1 allowed/);
  t.is(growthOf(findings, {}).length, 2);
});

test('an update lowers counts and never raises one', (t) => {
  t.deepEqual(lowered(findings, { told: 1, wish: 5, gone: 3 }), { told: 1, wish: 1 });
});
