import test, { type ExecutionContext } from 'ava';
import { pathReplacementFault } from '../../../../src/graph/filters/extension-ref/members/path-replacement.ts';

const taken = (t: ExecutionContext, pattern: string, substitution: string) =>
  t.is(pathReplacementFault('f', { pattern, substitution }), undefined);
const rejected = (t: ExecutionContext, pattern: string, substitution: string, fault: RegExp) =>
  t.regex(pathReplacementFault('f', { pattern, substitution }) ?? '', fault);
const slash = /may match the slash that paths begin with/;

test('both begin with a slash', taken, '^/a/(.*)', '/\\1');
test('what follows the first slash', taken, '[_-]+', '~');
test('a word anywhere', taken, '(?i)foo|bar', '');
test('the slash itself', rejected, '^/a/(.*)', '\\1', slash);
test('any character', rejected, '.a', '', slash);
test('all characters but some', rejected, '[^a]b', '', slash);
test('nothing', rejected, 'a*', 'b', slash);
test('the end', rejected, '$', 'b', slash);
test('one of two beginnings', rejected, '(?:x|(/go))', 'b', slash);
test('a space', rejected, '^/a', '/b c', /a path has none of these/);
test('a group that is not there', rejected, '^/(a)', '/\\2', /the pattern has 1 group:/);
test('a program without end', rejected, '((a{100}){100}){100}', '', /too large/);
