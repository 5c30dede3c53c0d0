import test from 'ava';
import { shownRoute } from '../../../../src/admin/snapshot/shown-route.ts';
import type * as ir from '../../../../src/ir/index.ts';

const changes = (name: string): ir.HeaderChanges => ({ set: [], add: [], remove: [name] });

test('filters are shown as fields of the rule and of its backends', (t) => {
  const mirrors = [{ backend: 'default/copy/80', perMillion: 1 }];
  const backend = { backend: 'default/web/80', weight: 1 };
  const match: ir.RouteMatch = { path: { kind: 'prefix', value: '/' }, headers: [], queryParams: [] };
  const shown = shownRoute({
    id: 'r',
    match,
    rule: {
      filters: { requestHeaders: changes('x-rule') },
      requestTimeoutMs: 1,
      action: {
        kind: 'forward',
        backends: [{ ...backend, filters: { responseHeaders: changes('x-share'), mirrors }, rewrite: { host: 'a' } }],
        invalidStatus: 500,
      },
    },
  });
  t.deepEqual(shown, {
    id: 'r',
    match,
    rule: {
      requestHeaders: changes('x-rule'),
      requestTimeoutMs: 1,
      action: {
        kind: 'forward',
        backends: [{ ...backend, responseHeaders: changes('x-share'), mirrors, rewrite: { host: 'a' } }],
        invalidStatus: 500,
      },
    },
  });
});

test('a rule without filters is shown as it is', (t) => {
  const route: ir.Route = {
    id: 'r',
    match: { path: { kind: 'exact', value: '/' }, headers: [], queryParams: [] },
    rule: { action: { kind: 'respond', status: 500 } },
  };
  t.deepEqual(shownRoute(route), route);
});
