import test from 'ava';
import { conditionSection } from '../../../src/cli/describe/conditions.ts';

const accepted = { type: 'Accepted', status: 'True', reason: 'Accepted' } as const;
const resolved = { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs', message: '' } as const;
const linesOf = (...conditions: Parameters<typeof conditionSection>[0][number]['conditions']) =>
  conditionSection([{ scope: 'default/edge', conditions }]).lines;

test('what is accepted with a remark says it, and what has none is one line', (t) => {
  t.deepEqual(linesOf({ ...accepted, message: '' }, resolved), ['default/edge: Accepted=True, ResolvedRefs=True']);
  t.deepEqual(linesOf({ ...accepted, message: 'tls.crlRef: the first list ends at 2026-11-30' }, resolved), [
    'default/edge: ResolvedRefs=True',
    'default/edge: Accepted=True: tls.crlRef: the first list ends at 2026-11-30',
  ]);
});

test('a remark with a reason of its own has its meaning and the next step', (t) => {
  const [line, means, next] = linesOf({ ...accepted, reason: 'OverrideNotAllowed', message: 'jwt stays in force' });
  t.is(line, 'default/edge: Accepted=True, OverrideNotAllowed: jwt stays in force');
  t.regex(means ?? '', /^ {4}means: /);
  t.regex(next ?? '', /^ {4}next: List the part in `overridable`/);
});
