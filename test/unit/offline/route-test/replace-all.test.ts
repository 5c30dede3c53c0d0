import test, { type ExecutionContext } from 'ava';
import { replaceAll } from '../../../../src/offline/route-test/replace-all.ts';

const replaced = (t: ExecutionContext, text: string, pattern: string, value: string, expected: string | undefined) =>
  t.is(replaceAll(text, { pattern, value }), expected);

test('a group', replaced, '/users/12/x', '^/users/([0-9]+)', '/u/\\1', '/u/12/x');
test('each match', replaced, '/a/b', '/', '-', '-a-b');
test('no empty match right behind another', replaced, 'baac', 'a*', 'x', 'xbxcx');
test('the whole match, and a backslash', replaced, '/a', 'a', '<\\0\\\\>', '/<a\\>');
test('a named group, in any case', replaced, '/ABC', '(?i)/(?P<n>abc)', '\\1', 'ABC');
test('a group that took no part', replaced, '/x', '/(a)?x', '[\\1]', '[]');
test('an expression that JavaScript reads in another way', replaced, '/x', '[[:alpha:]]', 'y', undefined);
test('one that it takes too long over', replaced, `${'a'.repeat(64)}!`, '(a+)+$', 'x', undefined);
