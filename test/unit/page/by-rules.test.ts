import test from 'ava';
import { byRules } from '../../../page/src/pages/routes/by-rules.ts';

const rulesOf = (...names: readonly (string | null)[]): string | undefined =>
  byRules(
    names.map((ruleName, rule) => ({ rule, ruleName })),
    () => 'same',
  )[0]?.rules;

test('rules without names in a row are one span, and those with a name are called by it', (t) => {
  t.is(rulesOf(null), '0');
  t.is(rulesOf('health'), 'health');
  t.is(rulesOf(null, null, null), '0–2');
  t.is(rulesOf('health', null, null, '7', 'rest', null), 'health, 1–3, rest, 5');
});

test('what differs is an entry of its own, and a rule at two Gateways is there once', (t) => {
  const entries = [
    { rule: 0, ruleName: 'a', value: 1 },
    { rule: 1, ruleName: null, value: 2 },
    { rule: 0, ruleName: 'a', value: 1 },
  ];
  t.deepEqual(
    byRules(entries, ({ value }) => value).map(({ key, rules }) => [key, rules]),
    [
      ['1', 'a'],
      ['2', '1'],
    ],
  );
});
