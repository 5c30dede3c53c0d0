import { fromBinary } from '@bufbuild/protobuf';
import test from 'ava';
import {
  type Route,
  RouteAction_ClusterNotFoundResponseCode,
  ScopedRouteConfigurationSchema,
} from '../../../../src/envoy/index.ts';
import type * as ir from '../../../../src/ir/index.ts';
import { bytesOfText } from '../../../../src/std/memory/index.ts';
import { encodeRoute } from '../../../../src/translate/routes/route.ts';
import { backendKey, exactScope, forwardTo, route, virtualHost } from '../../../support/ir.ts';

/** The Envoy route that a rule comes to on an exact host. */
function translated(given: Partial<ir.RouteRule>, match: Partial<ir.RouteMatch> = {}): Route {
  const one = route('r', '/a', { ...given, filters: { responseHeaders: undefined, ...given.filters } });
  const { body } = exactScope('http/80', virtualHost('a.test', [{ ...one, match: { ...one.match, ...match } }]));
  return fromBinary(ScopedRouteConfigurationSchema, bytesOfText(body)).routeConfiguration?.virtualHosts[0]
    ?.routes[0] as Route;
}

const forwarded = (given: Partial<ir.RouteRule>) => {
  const { action } = translated(given);
  if (action.case !== 'route') throw new Error(`not forwarded: ${action.case}`);
  return action.value;
};

const paths = test.macro({
  exec: (t, path: ir.PathMatch, expected: { case: string; value: unknown }) =>
    t.like(translated({}, { path }).match?.pathSpecifier, expected),
  title: (_, { kind, value }) => `path: ${kind} ${value}`,
});

test(paths, { kind: 'exact', value: '/a' }, { case: 'path', value: '/a' });
test(paths, { kind: 'prefix', value: '/a' }, { case: 'pathSeparatedPrefix', value: '/a' });
test(paths, { kind: 'prefix', value: '/' }, { case: 'prefix', value: '/' });
test(paths, { kind: 'regex', value: '/a+' }, { case: 'safeRegex', value: { regex: '/a+' } });

const rewrites = test.macro({
  exec: (t, from: string, value: string, expected: Record<string, unknown>) =>
    t.like(forwarded({ rewrite: { path: { kind: 'prefix', from, value } } }), expected),
  title: (_, from, value) => `prefix ${from} becomes ${value || 'nothing'}`,
});

test(rewrites, '/a', '/b', { prefixRewrite: '/b' });
test(rewrites, '/a/', '/b/', { prefixRewrite: '/b' });
test(rewrites, '/', '/b', { prefixRewrite: '/b/' });
test(rewrites, '/a.b', '/', { regexRewrite: { pattern: { regex: '^/a\\.b/*' }, substitution: '/' } });
test(rewrites, '/a', '', { regexRewrite: { pattern: { regex: '^/a/*' }, substitution: '/' } });

test('without a timeout of its own a route has none, where Envoy would take 15 s', (t) => {
  t.like(forwarded({}).timeout, { seconds: 0n, nanos: 0 });
  t.like(forwarded({ requestTimeoutMs: 1500 }).timeout, { seconds: 1n, nanos: 500_000_000 });
});

test('the share of an invalid backend is answered 500 by a cluster that never exists', (t) => {
  const backends = [{ backend: backendKey('web'), weight: 3 }, { weight: 1 }];
  const { clusterSpecifier } = forwarded({ action: { kind: 'forward', backends, invalidStatus: 500 } });
  t.is(clusterSpecifier.case, 'weightedClusters');
  if (clusterSpecifier.case !== 'weightedClusters') return;
  t.deepEqual(
    clusterSpecifier.value.clusters.map(({ name, weight }) => [name, weight]),
    [
      ['default/web/80', 3],
      ['gatewright/invalid', 1],
    ],
  );
});

for (const [invalidStatus, code] of [
  [500, RouteAction_ClusterNotFoundResponseCode.INTERNAL_SERVER_ERROR],
  [503, RouteAction_ClusterNotFoundResponseCode.SERVICE_UNAVAILABLE],
] as const) {
  test(`shares without a backend are answered ${invalidStatus} where the route asks for it`, (t) => {
    const action = { ...forwardTo('web'), invalidStatus };
    t.is(forwarded({ action }).clusterNotFoundResponseCode, code);
  });
}

test('shares that rewrite or copy become routes of their own, with limits that add up', (t) => {
  const backends = [
    { backend: backendKey('a'), weight: 3, rewrite: { host: 'in.test' } },
    {
      backend: backendKey('b'),
      weight: 0,
      filters: { mirrors: [{ backend: backendKey('c'), perMillion: 1_000_000 }] },
    },
    { backend: backendKey('c'), weight: 1, filters: { mirrors: [{ backend: backendKey('a'), perMillion: 200_000 }] } },
    { weight: 2 },
  ];
  const one = route('r', '/a', { action: { kind: 'forward', backends, invalidStatus: 500 } });
  const { body } = exactScope('http/80', virtualHost('a.test', [one]));
  const routes =
    fromBinary(ScopedRouteConfigurationSchema, bytesOfText(body)).routeConfiguration?.virtualHosts[0]?.routes ?? [];
  // The last two are for what no other route took.
  const parts = routes.slice(0, -2);
  t.deepEqual(
    parts.map(({ match }) => match?.runtimeFraction?.defaultValue?.numerator),
    [500_000, 666_667, undefined],
  );
  const mirrors = parts.map(({ action }) => (action.case === 'route' ? action.value.requestMirrorPolicies : []));
  t.deepEqual(
    mirrors.map((list) =>
      list.map(({ cluster, runtimeFraction }) => [cluster, runtimeFraction?.defaultValue?.numerator]),
    ),
    [[], [['default/a/80', 200_000]], []],
  );
});

const unprocessed = 'connect-failure,refused-stream,reset-before-request';

test("a rule's own retries replace the virtual host's; silently of its own a rule has these", (t) => {
  t.is(forwarded({}).retryPolicy, undefined);
  t.like(forwarded({ retry: { codes: [503], attempts: 3, backoffMs: 100 } }).retryPolicy, {
    numRetries: 3,
    retryOn: `${unprocessed},retriable-status-codes`,
    retriableStatusCodes: [503],
  });
  t.is(forwarded({ retry: { codes: [], attempts: 1 } }).retryPolicy?.retryOn, unprocessed);
  t.like(forwarded({ retry: { codes: [], attempts: 0 } }).retryPolicy, { numRetries: 0, retryOn: '' });
});

test('a time limit for one try keeps the default retries, and none where there are to be none', (t) => {
  const backendRequestTimeoutMs = 500;
  t.like(forwarded({ backendRequestTimeoutMs }).retryPolicy, { numRetries: 2, retryOn: unprocessed });
  const never = forwarded({ backendRequestTimeoutMs, retry: { codes: [], attempts: 0 } }).retryPolicy;
  t.like(never, { numRetries: 0, retryOn: '' });
  t.is(never?.perTryTimeout?.nanos, 500_000_000);
});

test('a rule does what the strictest of its backends allows', (t) => {
  const share = (name: string, retries?: ir.RetryLimit): ir.WeightedBackend => ({
    backend: backendKey(name),
    weight: 1,
    ...(retries && { retries }),
  });
  const to = (...backends: ir.WeightedBackend[]) => forwarded({ action: { ...forwardTo('web'), backends } });
  t.is(to(share('a'), share('b', 'notProcessed')).retryPolicy, undefined);
  t.like(to(share('a', 'notProcessed'), share('b', 'never')).retryPolicy, { numRetries: 0, retryOn: '' });
});

test('safe methods are repeated after they were sent only where nothing says otherwise', (t) => {
  const session: ir.Session = {
    kind: 'cookie',
    scope: 'default/web/80',
    name: 's',
    path: '/',
    permanent: true,
    secure: false,
  };
  const withShare = (more: Partial<ir.WeightedBackend>) => ({
    action: { ...forwardTo('web'), backends: [{ backend: backendKey('web'), weight: 1, ...more }] },
  });
  const removed = (rule: Partial<ir.RouteRule>) => translated(rule).requestHeadersToRemove;
  t.deepEqual(removed({}), []);
  const strict: Partial<ir.RouteRule>[] = [
    { retry: { codes: [], attempts: 1 } },
    { backendRequestTimeoutMs: 500 },
    withShare({ session }),
    withShare({ retries: 'notProcessed' }),
    withShare({ retries: 'never' }),
  ];
  for (const rule of strict) t.deepEqual(removed(rule), ['x-envoy-retry-on']);
});

test('a redirect is written down once for all wildcards, and for each exact host', (t) => {
  const redirect: ir.RouteAction = { kind: 'redirect', statusCode: 301 };
  const [away, other] = [route('a', '/a', { action: redirect }), route('b', '/b')];
  const on = (host: string) => encodeRoute(away, virtualHost(host, [away, other]));
  t.is(on('*.a.test'), on('*.b.test'));
  t.notDeepEqual(on('a.test'), on('*.a.test'));
  t.notDeepEqual(on('a.test'), on('b.test'));
});

test('routes of a scope are not rejected for clusters that do not exist', (t) => {
  const { body } = exactScope('http/80', virtualHost('a.test', [route('r', '/')]));
  t.is(fromBinary(ScopedRouteConfigurationSchema, bytesOfText(body)).routeConfiguration?.validateClusters, false);
});

test('a percent sign in a header value is the sign itself', (t) => {
  const set = [{ name: 'x-a', value: '100%REQ(x)%' }];
  const [added] = translated({ filters: { requestHeaders: { set, add: [], remove: ['x-b'] } } }).requestHeadersToAdd;
  t.is(added?.header?.value, '100%%REQ(x)%%');
});

test('with header changes on a backend, those of the rule are written into each share and run first', (t) => {
  const headers = (value: string): ir.HeaderChanges => ({ set: [{ name: 'x-a', value }], add: [], remove: [] });
  const backends = [{ backend: backendKey('web'), weight: 1, filters: { requestHeaders: headers('backend') } }];
  const given = { filters: { requestHeaders: headers('rule') }, action: { ...forwardTo('web'), backends } };
  const { clusterSpecifier } = forwarded(given);
  t.is(clusterSpecifier.case, 'weightedClusters');
  if (clusterSpecifier.case !== 'weightedClusters') return;
  t.deepEqual(
    clusterSpecifier.value.clusters[0]?.requestHeadersToAdd.map(({ header }) => header?.value),
    ['rule', 'backend'],
  );
  t.deepEqual(translated(given).requestHeadersToAdd, []);
});

test('a redirect names an exact host, so that a port in Host is not repeated', (t) => {
  const { action } = translated({ action: { kind: 'redirect', scheme: 'https', statusCode: 308 } });
  t.is(action.case, 'redirect');
  t.like(action.value, { hostRedirect: 'a.test', responseCode: 4, portRedirect: 0 });
});
