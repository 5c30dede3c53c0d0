import test from 'ava';
import type { Graph } from '../../../../src/graph/index.ts';
import type * as ir from '../../../../src/ir/index.ts';
import { gateway, gatewayClass, httpRoute, service, xObject } from '../../../support/objects.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

/** The sessions of the one route's shares, after a build. */
function sessionsOf(graph: Graph): (ir.Session | undefined)[] {
  const table = graph.build(someTime).snapshot.gateways.get('default/edge')?.tables.get('http/80');
  const [route] = table?.fallback.get('*')?.routes ?? [];
  const action = route?.rule.action;
  return action?.kind === 'forward' ? action.backends.map(({ session }) => session) : [];
}

const targetRefs = [{ group: '', kind: 'Service', name: 'web' }];
const byHeader = { type: 'Header', header: { name: 'X-Pin' } };
const policy = (name: string, spec: object, created: string) =>
  xObject('XBackendTrafficPolicy', name, { targetRefs, ...spec }, { created });

const world = () => {
  const graph = newGraph();
  put(graph, gatewayClass(), gateway('edge'), service('web'), httpRoute('shop'));
  return graph;
};

test('a policy’s session comes, changes and goes with the policy that rules its Service', (t) => {
  const graph = world();
  t.deepEqual(sessionsOf(graph), [undefined]);
  put(graph, policy('sticky', { sessionPersistence: byHeader }, '2026-01-02T00:00:00Z'));
  t.deepEqual(sessionsOf(graph), [{ kind: 'header', scope: 'default/web/80', name: 'x-pin' }]);
  put(graph, policy('older', { retryConstraint: {} }, '2026-01-01T00:00:00Z'));
  t.deepEqual(sessionsOf(graph), [undefined], 'the older policy rules, and has no session');
  graph.remove('XBackendTrafficPolicy', 'default/older');
  t.deepEqual(sessionsOf(graph), [{ kind: 'header', scope: 'default/web/80', name: 'x-pin' }]);
  put(graph, policy('sticky', { sessionPersistence: { ...byHeader, absoluteTimeout: '90s' } }, '2026-01-02T00:00:00Z'));
  t.deepEqual(sessionsOf(graph), [{ kind: 'header', scope: 'default/web/80', name: 'x-pin', lifetimeSeconds: 90 }]);
  graph.remove('XBackendTrafficPolicy', 'default/sticky');
  t.deepEqual(sessionsOf(graph), [undefined]);
});

const lifetimes = test.macro({
  exec: (t, absoluteTimeout: string, lifetimeSeconds: number | undefined) => {
    const graph = world();
    const backendRefs = [{ name: 'web', port: 80 }];
    const sessionPersistence = { type: 'Cookie' as const, cookie: { name: 's' }, absoluteTimeout };
    put(graph, httpRoute('shop', { rules: [{ backendRefs, sessionPersistence }] }));
    t.is(sessionsOf(graph)[0]?.lifetimeSeconds, lifetimeSeconds);
  },
  title: (_, absoluteTimeout, seconds) => `absoluteTimeout ${absoluteTimeout} is ${seconds ?? 'no'} seconds`,
});
test(lifetimes, '1h30m', 5400);
test(lifetimes, '1500ms', 1);
test(lifetimes, '10ms', 1);
test(lifetimes, '0s', undefined);

test('cookies are for TLS only where clients come over TLS, and have a name of their backend', (t) => {
  const graph = world();
  const backendRefs = [{ name: 'web', port: 80 }];
  put(graph, httpRoute('shop', { rules: [{ backendRefs, sessionPersistence: { type: 'Cookie', cookie: {} } }] }));
  const [session] = sessionsOf(graph);
  t.like(session, { kind: 'cookie', path: '/', permanent: false, secure: false });
  t.regex(session?.name ?? '', /^gw-[0-9a-f]{12}$/);
  const [again] = sessionsOf(graph);
  t.deepEqual(again, session);
});
