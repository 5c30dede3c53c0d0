import { RE2JS } from '@bufbuild/re2';
import test from 'ava';
import { largestRegexWeight, regexWeight } from '../../../../src/graph/model/regex-weight.ts';
import { matchesOf } from '../../../../src/graph/routes/match.ts';

const expression = (value: string) => ({ path: { type: 'RegularExpression' as const, value } });
const faultOf = (...values: readonly string[]) => {
  const found = matchesOf({ matches: values.map(expression) });
  return 'fault' in found ? found.fault.message : undefined;
};

test('the weight of an expression is never far below the steps of its program', (t) => {
  const expressions = [
    ...[
      'abc',
      'a|b|c',
      'a*b+c?',
      '[a-z]{10}x',
      '(ab){20}',
      '((a{5}){6}){7}',
      '(?:a|bc){3,9}',
      'a{2,}',
      '\\d{30}',
      '(a)(b)',
    ],
    ...['\\p{L}{20}', '(?i)abc', 'x{0,100}', '(x{3}y){4,}', '[^/]+/[^/]+', '\\Qa.b\\E'],
  ];
  for (const one of expressions) {
    const steps = new RE2JS(one).re2Input.prog.numInst();
    t.true(regexWeight(one) * 4 + 10 >= steps, `${one}: ${regexWeight(one)} for ${steps} steps`);
  }
});

test('a rule whose expressions would make millions of steps is rejected before any is compiled', (t) => {
  t.regex(String(faultOf('((a{100}){100}){100}')), /^the regular expressions of the rule are too large/);
  t.regex(String(faultOf(...Array.from({ length: 64 }, (_, at) => `${at}${'a{300}'}`))), /divide the rule/);
  t.is(faultOf(...Array.from({ length: 64 }, (_, at) => `/users/[0-9]+/(a|b|c)/${at}(?:/.*)?`)), undefined);
  t.true(64 * 'users/[0-9]+/(a|b|c)/00(?:/.*)?'.length < largestRegexWeight / 4);
});

test('one expression that is too large alone is reported by its steps, and wrong ones by what is wrong', (t) => {
  t.regex(String(faultOf('a{900}b{900}c{900}')), /its program has \d+ steps/);
  t.regex(String(faultOf('(?=a)')), /is not RE2/);
});

test('slashes at the end of a prefix do not count, however many', (t) => {
  const found = matchesOf({ matches: [{ path: { type: 'PathPrefix', value: `/a${'/'.repeat(1_000)}` } }] });
  t.deepEqual('matches' in found && found.matches[0]?.path, { kind: 'prefix', value: '/a' });
});
