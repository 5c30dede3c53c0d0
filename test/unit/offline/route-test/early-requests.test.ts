import test from 'ava';
import type * as ir from '../../../../src/ir/index.ts';
import { requestView } from '../../../../src/offline/route-test/request-view.ts';

/** What a ListenerPolicy does to a request before routes are looked for, as a route test foresees it. */

const edit = (some: Partial<ir.HeaderEdit>): ir.HeaderEdit => ({
  remove: [],
  removePrefixes: [],
  set: [],
  add: [],
  ifAbsent: [],
  ...some,
});

const header = (of: string): ir.ValuePart => ({ kind: 'header', of: 'request', name: of });

const asked = {
  method: 'GET',
  host: 'web.test',
  path: '/a?b=c',
  headers: [
    ['x-one', '1'],
    ['x-one', '2'],
    ['x-inner-a', 'a'],
    ['x-gone', 'g'],
  ] as const,
};

/** Values of a header as routes see them. */
function valuesOf(name: string, requestHeaders: ir.HeaderEdit): readonly string[] | number {
  const seen = requestView(asked, { requestHeaders });
  return 'reason' in seen ? seen.status : seen.header(name);
}

test('headers are removed, set, added and filled in, in this order', (t) => {
  const edits = edit({
    remove: ['x-gone'],
    removePrefixes: ['x-inner-'],
    set: [{ name: 'x-one', value: ['all of ', header('x-one')] }],
    add: [{ name: 'x-one', value: ['3'] }],
    ifAbsent: [
      { name: 'x-one', value: ['4'] },
      { name: 'x-gone', value: [header(':path'), ' at ', header(':authority')] },
    ],
  });
  t.deepEqual(valuesOf('x-one', edits), ['all of 1,2', '3']);
  t.deepEqual(valuesOf('x-inner-a', edits), []);
  t.deepEqual(valuesOf('x-gone', edits), ['/a?b=c at web.test']);
});

test('a value that comes to nothing is not written', (t) => {
  const set = [{ name: 'x-one', value: [header('x-none')] }];
  t.deepEqual(valuesOf('x-one', edit({ set })), ['1', '2']);
});

test('the path of checks is answered by the proxy, and no other', (t) => {
  const at = (path: string) => {
    const seen = requestView({ ...asked, path }, { healthPath: '/healthz' });
    return 'reason' in seen ? seen.status : seen.path;
  };
  t.is(at('/healthz'), 200);
  t.is(at('/x/../healthz'), 200);
  t.is(at('/healthz/'), '/healthz/');
  t.is(at('/healthz?a'), '/healthz');
});
