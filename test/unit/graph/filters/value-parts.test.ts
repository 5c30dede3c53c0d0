import test, { type ExecutionContext } from 'ava';
import { type Side, valueParts } from '../../../../src/graph/filters/extension-ref/members/value-parts.ts';

const reads = (t: ExecutionContext, text: string, side: Side, parts: readonly unknown[]) =>
  t.deepEqual(valueParts(text, side), parts as never);
const rejects = (t: ExecutionContext, text: string, side: Side, fault: RegExp) => {
  const found = valueParts(text, side);
  t.regex('fault' in found ? found.fault : 'none', fault);
};

test('text', reads, 'a b', 'request', ['a b']);
test('percent signs', reads, '5%% of 100%%', 'request', ['5% of 100%']);
test('a percent sign beside an operator', reads, '%%%PROTOCOL%%%', 'request', [
  '%',
  { kind: 'variable', name: 'protocol' },
  '%',
]);
test('headers of both sides', reads, '%REQ(X-A)%/%RESP(x-b)%', 'response', [
  { kind: 'header', of: 'request', name: 'x-a' },
  '/',
  { kind: 'header', of: 'response', name: 'x-b' },
]);
test('a part of the request line', reads, '%REQ(:path)%', 'request', [
  { kind: 'header', of: 'request', name: ':path' },
]);
test('an answer of which a request knows nothing', rejects, '%RESP(a)%', 'request', /not available/);
test('a part of the request line of answers', rejects, '%RESP(:path)%', 'response', /not the name of a header/);
test('an environment', rejects, '%ENVIRONMENT(PATH)%', 'response', /not available: use .*%REQ\(NAME\)%/);
test('a name of every object', rejects, '%constructor%', 'request', /not available/);
test('a header of ours', rejects, '%REQ(X-Gw-Scope)%', 'request', /for use within the proxy/);
test('a second choice of a header', rejects, '%REQ(a?b)%', 'request', /not the name of a header/);
test('a sign alone', rejects, '50 %', 'request', /write %%/);
test('an open operator', rejects, '%REQ(a)', 'request', /write %%/);
test('a line break', rejects, 'a\nb', 'request', /line break/);
