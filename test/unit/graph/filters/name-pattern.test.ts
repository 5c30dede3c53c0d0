import test, { type ExecutionContext } from 'ava';
import { patternFault } from '../../../../src/graph/filters/extension-ref/members/name-pattern.ts';

const taken = (t: ExecutionContext, pattern: string) => t.is(patternFault(pattern), undefined);
const rejected = (t: ExecutionContext, pattern: string, fault: RegExp) => t.regex(patternFault(pattern) ?? '', fault);
const own = /may match names that begin with x-gw-/;

test('a beginning and anything', taken, 'x-internal-.*');
test('some names', taken, 'x-(?:debug|trace)-[a-z]+');
test('one name', taken, '^X-Powered-By$');
test('a beginning that is longer than ours', taken, 'x-gwx-.*');
test('names that only begin like one of a message', taken, 'hostname|te-.*');
test('any name', rejected, '.*', /matches connection/);
test('names with our beginning', rejected, 'x-.*', own);
test('names by their end', rejected, '[a-z-]+-scope', own);
test('our beginning in capitals', rejected, 'X-GW-.*', own);
test('our beginning as a whole', rejected, 'x-gw-', own);
test('one of two', rejected, 'x-a|transfer-.*', /matches transfer-encoding/);
test('no expression', rejected, '(', /is not RE2/);
test('nothing', rejected, '', /is empty/);
test('a program without end', rejected, '((a{100}){100}){100}', /too large/);
