import { fromBinary } from '@bufbuild/protobuf';
import test from 'ava';
import { type RouteConfiguration, ScopedRouteConfigurationSchema, typeUrls } from '../../../../src/envoy/index.ts';
import { bytesOfText } from '../../../../src/std/memory/index.ts';
import { exactScope, httpListener, route, snapshotOf, table, translateAll, virtualHost } from '../../../support/ir.ts';

const decode = (body: string) => fromBinary(ScopedRouteConfigurationSchema, bytesOfText(body));
const keyOf = (body: string) => decode(body).key?.fragments.map(({ type }) => type.value);
const routesOf = (configuration: RouteConfiguration | undefined) =>
  configuration?.virtualHosts.map(({ domains, routes }) => ({ domains, routes: routes.map(({ name }) => name) }));

/** One for requests with a path, and one for CONNECT. */
const notFound = ['gatewright/not-found', 'gatewright/not-found'];

const keys = test.macro({
  exec: (t, id: string, key: string) => {
    const { name, typeUrl, body } = exactScope(id, virtualHost('a.test', []));
    t.is(typeUrl, typeUrls.scopedRoute);
    t.is(name, `${id}|a.test`);
    t.deepEqual(keyOf(body), [key]);
  },
  title: (_, id, key) => `the scope of a host of ${id} is found by ${key}`,
});

test(keys, 'http/80', 'http/80|a.test');
test(keys, 'http/8080', 'http/8080|a.test:8080');
test(keys, 'http/443', 'http/443|a.test:443');
test(keys, 'https/443/web', 'https/443/web|a.test');
test(keys, 'https/8443/web', 'https/8443/web|a.test:8443');

test('an exact host switches the fallthrough off, takes every Host and keeps the scope header from the backend', (t) => {
  const { routeConfiguration } = decode(exactScope('http/80', virtualHost('a.test', [route('r', '/')])).body);
  t.deepEqual(Object.keys(routeConfiguration?.typedPerFilterConfig ?? {}), [
    'gatewright.ladder',
    'auth/http/80',
    'base/http/80',
  ]);
  t.deepEqual(routeConfiguration?.requestHeadersToRemove, ['x-gw-scope']);
  t.deepEqual(routesOf(routeConfiguration), [{ domains: ['*'], routes: ['r', ...notFound] }]);
});

test('an exact host for which a server is asked first falls through behind it: its answer may lead to another route', (t) => {
  const host = virtualHost('a.test', [route('r', '/')], { preRoutingAuth: [] });
  const { routeConfiguration } = decode(exactScope('http/80', host).body);
  t.deepEqual(Object.keys(routeConfiguration?.typedPerFilterConfig ?? {}), []);
});

test('a host ends for CONNECT as well, which has no path: else it would go on to the tunnels of other hosts', (t) => {
  const { routeConfiguration } = decode(exactScope('http/80', virtualHost('a.test', [])).body);
  const [, last] = routeConfiguration?.virtualHosts[0]?.routes ?? [];
  t.is(last?.match?.pathSpecifier.case, 'connectMatcher');
  t.is(last?.action.case, 'directResponse');
});

test('a host that falls through ends without a last route, so that the fallthrough begins', (t) => {
  const { body } = exactScope('http/80', virtualHost('a.test', [route('r', '/')], { fallThrough: true }));
  t.deepEqual(routesOf(decode(body).routeConfiguration), [{ domains: ['*'], routes: ['r'] }]);
});

test('the fallback scope has the other hosts by domain, fallthrough left on', (t) => {
  const fallback = [virtualHost('*', [], { misdirected: true }), virtualHost('*.a.test', [route('r', '/')])];
  const content = { listeners: [httpListener('http/80')], tables: [table('http/80', { fallback })] };
  const resource = translateAll(snapshotOf(content)).find(({ name }) => name === 'http/80|*');
  t.truthy(resource);
  const { routeConfiguration } = decode(resource?.body ?? '');
  t.deepEqual(keyOf(resource?.body ?? ''), ['http/80|*']);
  t.deepEqual(routeConfiguration?.typedPerFilterConfig, {});
  t.true(routeConfiguration?.ignorePortInHostMatching);
  t.deepEqual(routesOf(routeConfiguration), [
    { domains: ['*'], routes: ['gatewright/misdirected', 'gatewright/misdirected'] },
    { domains: ['*.a.test'], routes: ['r', ...notFound] },
  ]);
});

test('every route has a name: the fallthrough takes a nameless one for none', (t) => {
  const tables = [
    table('http/80', {
      exact: [virtualHost('a.test', [route('r', '/')])],
      fallback: [virtualHost('*', [], { misdirected: true }), virtualHost('*.a.test', [])],
    }),
  ];
  const scopes = translateAll(snapshotOf({ listeners: [], tables })).filter(
    ({ typeUrl }) => typeUrl === typeUrls.scopedRoute,
  );
  const names = scopes.flatMap(({ body }) =>
    (decode(body).routeConfiguration?.virtualHosts ?? []).flatMap(({ routes }) => routes.map(({ name }) => name)),
  );
  t.is(names.length, 7);
  t.true(names.every((name) => name !== ''));
});
