import test from 'ava';
import { growthOf, lowered } from '../../../scripts/ratchet.ts';

const findings = { reported: ['a.ts:1: told', 'b.ts:2: told'], desired: ['c.ts:3: wish'] };

test('more findings than allowed are named; fewer, or as many, are not', (t) => {
  t.deepEqual(growthOf(findings, { reported: 2, desired: 5 }), []);
  t.regex(
    growthOf(findings, { reported: 1, desired: 1 }).join(),
    /a\.ts:1: told[\s\S]*told: 2 found, at most 1 allowed/,
  );
  t.is(growthOf(findings, {}).length, 2);
});

test('an update lowers counts and never raises one', (t) => {
  t.deepEqual(lowered(findings, { reported: 1, desired: 5, gone: 3 }), { reported: 1, desired: 1 });
});
