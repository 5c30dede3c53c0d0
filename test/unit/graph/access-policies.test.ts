import test from 'ava';
import type { PolicyStatus } from '../../../src/gateway-api/index.ts';
import { changesBetween } from '../../../src/graph/hosts/changes-between.ts';
import * as ir from '../../../src/ir/index.ts';
import { testCertificates } from '../../support/certificates.ts';
import {
  configMap,
  dataPlane,
  dataPlaneRef,
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  listenerSet,
  ownObject,
  secret,
  service,
} from '../../support/objects.ts';
import { newGraph, put, someTime } from '../../support/world.ts';

const [good] = testCertificates;
const tls = { certificateRefs: [{ name: 'cert' }] };
const https = (name: string, hostname?: string) => ({
  name,
  port: 443,
  protocol: 'HTTPS',
  tls,
  ...(hostname && { hostname }),
});

const ref = (kind: string, name: string, sectionName?: string) => ({
  group: 'gateway.networking.k8s.io',
  kind,
  name,
  ...(sectionName !== undefined && { sectionName }),
});
const policy = (name: string, target: object, spec: object, created = '2026-01-01') =>
  ownObject('AccessPolicy', name, { targetRefs: [target], ...spec }, { created: `${created}T00:00:00Z` });

const apiKeys = { secretRefs: [{ name: 'keys' }], from: [{ header: 'x-key' }] };
const labelled = { labels: { 'gatewright.dev/credentials': 'true' } };
const clientIPs = { allow: ['10.0.0.0/8'] };

/** A Gateway with two routes, and what its next builds change. */
function world() {
  const graph = newGraph();
  put(
    graph,
    gatewayClass(),
    secret('cert', { 'tls.crt': good.certificate, 'tls.key': good.key }),
    gateway('edge', [{ name: 'http' }, https('shop', '*.shop.test'), https('any')] as never),
    service('web'),
    endpointSlice('web', ['10.0.0.1']),
    ...['a', 'b'].map((name) => httpRoute(name, { hostnames: [`${name}.test`] })),
  );
  graph.build(someTime);
  const build = () => {
    const { changes, statuses, snapshot } = graph.build(someTime);
    return { changes, statuses: statuses.map(({ kind, key }) => `${kind} ${key}`), snapshot };
  };
  const fleet = () => graph.snapshot()?.gateways.get('default/edge') as ir.Fleet;
  const accessOf = (host: string) =>
    fleet()
      .tables.get('http/80')
      ?.exact.get(host)
      ?.routes.map(({ rule }) => rule.filters?.access);
  const conditionsOf = (name: string) =>
    ((graph.statusOf('AccessPolicy', `default/${name}`) as PolicyStatus | undefined)?.ancestors ?? []).flatMap(
      ({ ancestorRef, conditions }) =>
        conditions.map(({ type, status, reason }) => `${ancestorRef.name} ${type}=${status} ${reason}`),
    );
  return { graph, build, fleet, accessOf, conditionsOf };
}

const placesOf = (changes: readonly ir.Change[]) =>
  changes.map((change) => (change.kind === 'table' ? `table ${change.table}` : change.kind)).sort();

const guarded = ['table http/80', 'table https/443/any', 'table https/443/shop'];

test('a policy of a Gateway changes its tables and no route, come, changed or gone', (t) => {
  const { graph, build, fleet } = world();
  const without = graph.snapshot() as ir.Snapshot;
  put(graph, policy('p', ref('Gateway', 'edge'), { clientIPs }));
  const { changes, statuses, snapshot } = build();
  t.deepEqual(placesOf(changes), guarded, 'not the table of hosts that no listener serves');
  t.deepEqual(statuses, ['AccessPolicy default/p', 'Gateway default/edge']);
  for (const { before, after } of changes as readonly Extract<ir.Change, { kind: 'table' }>[]) {
    t.is(before?.access, undefined);
    t.like(after?.access?.demands, [
      { level: 'gateway', source: 'default/p', overridable: [], clientIPs: { deny: [] } },
    ]);
    t.false(after?.access?.demands.some(({ hostnames }) => hostnames));
  }
  t.deepEqual(placesOf([...changesBetween(without, snapshot)]), guarded, 'the same for who comes late');
  t.is(fleet().tables.get('http/80')?.exact, without.gateways.get('default/edge')?.tables.get('http/80')?.exact);

  put(graph, policy('p', ref('Gateway', 'edge'), { clientIPs, overridable: ['clientIPs'] }));
  t.deepEqual(placesOf(build().changes), guarded);
  put(
    graph,
    ownObject(
      'AccessPolicy',
      'p',
      { targetRefs: [ref('Gateway', 'edge')], clientIPs, overridable: ['clientIPs'] },
      { generation: 9 },
    ),
  );
  t.deepEqual(placesOf(build().changes), [], 'the same content');

  graph.remove('AccessPolicy', 'default/p');
  t.deepEqual(placesOf(build().changes), guarded);
  t.is(graph.snapshot()?.id, without.id);
});

test('hosts that change keep what their table demands, and a closed listener takes it along', (t) => {
  const { graph, build, fleet } = world();
  put(graph, policy('p', ref('Gateway', 'edge'), { clientIPs }));
  build();
  put(graph, httpRoute('a', { hostnames: ['new.test'] }));
  build();
  t.truthy(fleet().tables.get('http/80')?.access);
  put(graph, gateway('edge', [{ name: 'http' }]));
  build();
  t.deepEqual([...fleet().tables.keys()], ['http/80']);
  graph.remove('AccessPolicy', 'default/p');
  put(
    graph,
    gateway('edge', [{ name: 'http' }, https('shop', '*.shop.test'), https('any')] as never),
    httpRoute('a', { hostnames: ['a.test'] }),
  );
  build();
  t.is(graph.snapshot()?.id, world().graph.snapshot()?.id);
});

test('a policy of a route changes its hosts alone; once gone it leaves no trace', (t) => {
  const { graph, build, accessOf } = world();
  const without = graph.snapshot()?.id;
  put(graph, policy('p', ref('HTTPRoute', 'a'), { csrf: {} }));
  const { changes } = build();
  t.true(changes.every((change) => change.kind === 'virtualHost' && change.host === 'a.test'));
  t.deepEqual(accessOf('a.test'), [{ route: { csrf: { additionalOrigins: [] } } }]);
  t.deepEqual(accessOf('b.test'), [undefined]);
  graph.remove('AccessPolicy', 'default/p');
  build();
  t.is(graph.snapshot()?.id, without);
});

test('a changed key changes the targets of the policies that name its Secret, and the id of the snapshot', (t) => {
  const { graph, build, accessOf } = world();
  put(graph, policy('keyed', ref('HTTPRoute', 'a'), { apiKeys }), policy('other', ref('HTTPRoute', 'b'), { csrf: {} }));
  build();
  t.deepEqual(accessOf('a.test'), [{ route: { closed: ['apiKeys'] } }], 'closed until the Secret is there');
  const ids = new Set([graph.snapshot()?.id]);
  for (const ann of ['one', 'two']) {
    put(graph, secret('keys', { ann }, labelled));
    const { changes } = build();
    t.true(
      changes.length > 0 && changes.every((change) => change.kind === 'virtualHost' && change.host === 'a.test'),
      ann,
    );
    ids.add(graph.snapshot()?.id);
  }
  t.is(ids.size, 3);
  graph.remove('Secret', 'default/keys');
  build();
  t.true(ids.has(graph.snapshot()?.id), 'closed as before');
});

test('a changed key of a Gateway’s policy changes its tables', (t) => {
  const { graph, build } = world();
  put(graph, policy('p', ref('Gateway', 'edge'), { apiKeys }), secret('keys', { ann: 'one' }, labelled));
  build();
  put(graph, secret('keys', { ann: 'two' }, labelled));
  t.deepEqual(placesOf(build().changes), guarded);
});

test('no secret is in a snapshot’s text, a status or a change', (t) => {
  const { graph } = world();
  put(
    graph,
    policy('p', ref('Gateway', 'edge'), { apiKeys }),
    policy('q', ref('HTTPRoute', 'a'), { apiKeys }),
    secret('keys', { ann: 'sk-1', bob: 'sk-1', zoe: 'sk-2' }, labelled),
  );
  const result = graph.build(someTime);
  const text = JSON.stringify(result, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  t.true(text.includes('[redacted]') && text.includes('clients ann and bob'));
  t.notRegex(text, /sk-[12]/);
});

test('servers that are asked are backends in use, by the Gateway or by the route', (t) => {
  const { graph, build, fleet } = world();
  const forwardAuth = { backendRef: { name: 'auth', port: 80 } };
  put(graph, service('auth'), endpointSlice('auth', ['10.0.0.9']));
  for (const target of [ref('Gateway', 'edge'), ref('HTTPRoute', 'a')]) {
    put(graph, policy('p', target, { forwardAuth }));
    build();
    t.is(fleet().backends.get('default/auth/80'), 1, target.kind);
    t.is(graph.snapshot()?.endpoints.get('default/auth/80')?.endpoints.length, 1);
    graph.remove('AccessPolicy', 'default/p');
    build();
    t.false(fleet().backends.has('default/auth/80'));
  }
});

test('what a Gateway’s policy lets routes switch off is for it to say, and changes their statuses and no route', (t) => {
  const { graph, build, conditionsOf } = world();
  put(graph, policy('lower', ref('HTTPRoute', 'a'), { overrides: ['clientIPs'] }));
  build();
  t.deepEqual(conditionsOf('lower'), ['edge Accepted=True Accepted', 'edge ResolvedRefs=True ResolvedRefs']);
  put(graph, policy('upper', ref('Gateway', 'edge'), { clientIPs }));
  const { changes } = build();
  t.deepEqual(placesOf(changes), guarded);
  t.is(conditionsOf('lower')[0], 'edge Accepted=True OverrideNotAllowed');
  put(graph, policy('upper', ref('Gateway', 'edge'), { clientIPs, overridable: ['clientIPs'] }));
  build();
  t.is(conditionsOf('lower')[0], 'edge Accepted=True Accepted');
  // Of two policies the one says so whose part is in force.
  put(graph, policy('upper', ref('Gateway', 'edge'), { csrf: {}, overridable: ['clientIPs'] }, '2025-01-01'));
  put(graph, policy('second', ref('Gateway', 'edge'), { clientIPs }));
  build();
  t.is(conditionsOf('lower')[0], 'edge Accepted=True OverrideNotAllowed');
});

test('a policy of a listener is for that listener alone', (t) => {
  const { graph, build, fleet, conditionsOf } = world();
  put(graph, policy('p', ref('Gateway', 'edge', 'shop'), { clientIPs }));
  t.deepEqual(placesOf(build().changes), ['table https/443/shop']);
  const access = fleet().tables.get('https/443/shop')?.access;
  t.like(access?.demands[0], { level: 'listener', source: 'default/p' });
  t.deepEqual(access?.demands[0]?.hostnames, ['*.shop.test'], 'hosts of the other listener are answered 421');
  t.deepEqual(access?.hostnames, ['*.shop.test', ir.misdirectedHosts]);
  t.deepEqual(conditionsOf('p'), ['edge Accepted=True Accepted', 'edge ResolvedRefs=True ResolvedRefs']);
  put(graph, policy('p', ref('Gateway', 'edge', 'none'), { clientIPs }));
  build();
  t.is(fleet().tables.get('https/443/shop')?.access, undefined);
  t.is(conditionsOf('p')[0], 'edge Accepted=False TargetNotFound');
});

test('what an HTTPS listener demands does not follow the other listeners of its port', (t) => {
  const { graph, build, fleet } = world();
  put(graph, policy('p', ref('Gateway', 'edge', 'shop'), { clientIPs }));
  build();
  const { access } = fleet().tables.get('https/443/shop') ?? {};
  const listeners = [{ name: 'http' }, https('shop', '*.shop.test'), https('any'), https('more', '*.more.test')];
  put(graph, gateway('edge', listeners as never));
  t.false(placesOf(build().changes).includes('table https/443/shop'));
  t.deepEqual(fleet().tables.get('https/443/shop')?.access, access);
});

/** Listeners of one port: the Gateway's own, and two of a ListenerSet. */
function worldWithSet() {
  const made = world();
  put(
    made.graph,
    gateway('edge', [{ name: 'http', allowedRoutes: { namespaces: { from: 'All' } } }] as never, {
      allowedListeners: { namespaces: { from: 'Same' } },
    }),
    listenerSet('team', [
      { name: 'one', hostname: '*.one.test' },
      { name: 'two', hostname: '*.two.test' },
    ] as never),
  );
  made.build();
  const demands = () => made.fleet().tables.get('http/80')?.access;
  const summary = () =>
    demands()?.demands.map(({ level, source, hostnames }) => `${level} ${source} ${hostnames ?? 'all'}`);
  return { ...made, demands, summary };
}

test('policies of a ListenerSet and of its listeners are for their own hosts in a table of many', (t) => {
  const { graph, build, demands, summary, conditionsOf } = worldWithSet();
  put(graph, policy('s', ref('ListenerSet', 'team'), { clientIPs }));
  t.deepEqual(placesOf(build().changes), ['table http/80']);
  t.deepEqual(summary(), ['listenerSet default/s *.one.test,*.two.test']);
  t.deepEqual(demands()?.hostnames, ['*', '*.one.test', '*.two.test']);
  t.deepEqual(conditionsOf('s'), ['edge Accepted=True Accepted', 'edge ResolvedRefs=True ResolvedRefs']);
  put(
    graph,
    policy('l', ref('ListenerSet', 'team', 'two'), { csrf: {} }),
    policy('g', ref('Gateway', 'edge'), { csrf: {} }),
  );
  build();
  t.deepEqual(summary(), [
    'gateway default/g all',
    'listenerSet default/s *.one.test,*.two.test',
    'listener default/l *.two.test',
  ]);
  graph.remove('ListenerSet', 'default/team');
  build();
  t.deepEqual(summary(), ['gateway default/g all']);
  t.deepEqual(conditionsOf('s'), [], 'it affects no Gateway');
});

test('a listener’s policy switches off what its Gateway’s policy lists, there alone', (t) => {
  const { graph, build, summary, conditionsOf } = worldWithSet();
  put(
    graph,
    policy('g', ref('Gateway', 'edge'), { clientIPs, csrf: {}, overridable: ['clientIPs'] }),
    policy('s', ref('ListenerSet', 'team'), { overrides: ['clientIPs', 'csrf'] }),
  );
  const { statuses } = build();
  t.true(statuses.includes('AccessPolicy default/s'));
  t.deepEqual(summary(), ['gateway default/g *', 'gateway default/g *.one.test,*.two.test']);
  t.is(conditionsOf('s')[0], 'edge Accepted=True OverrideNotAllowed');
  put(graph, policy('g', ref('Gateway', 'edge'), { clientIPs, overridable: ['clientIPs'] }));
  build();
  t.deepEqual(summary(), ['gateway default/g *']);
  t.is(conditionsOf('s')[0], 'edge Accepted=True Accepted');
});

test('the policy of a route reports what a listener of the route keeps in force, and no other listener', (t) => {
  const { graph, build, conditionsOf } = worldWithSet();
  put(
    graph,
    httpRoute('a', {
      hostnames: ['a.one.test'],
      parentRefs: [{ kind: 'ListenerSet', name: 'team', sectionName: 'one' }],
    } as never),
  );
  put(graph, policy('r', ref('HTTPRoute', 'a'), { overrides: ['csrf'] }));
  put(graph, policy('two', ref('ListenerSet', 'team', 'two'), { csrf: {} }));
  build();
  t.is(conditionsOf('r')[0], 'edge Accepted=True Accepted');
  put(graph, policy('one', ref('ListenerSet', 'team', 'one'), { csrf: {} }));
  build();
  t.is(conditionsOf('r')[0], 'edge Accepted=True OverrideNotAllowed');
});

test('a Gateway that begins to share its proxies stays guarded, and guards no other', (t) => {
  const { graph, build, conditionsOf } = world();
  const shared = () => graph.snapshot()?.gateways.get('gatewright-system/class:gatewright');
  put(graph, gateway('other', [{ name: 'http', hostname: '*.other.test' }] as never));
  put(graph, policy('p', ref('Gateway', 'edge'), { clientIPs }), policy('q', ref('HTTPRoute', 'a'), { csrf: {} }));
  build();
  put(
    graph,
    gatewayClass('gatewright', undefined, { parametersRef: dataPlaneRef('pool', 'default') }),
    dataPlane('pool', { shared: {} }),
  );
  build();
  const access = () => shared()?.tables.get('http/80')?.access;
  t.like(access()?.demands, [{ level: 'gateway', source: 'default/p', hostnames: ['*'] }]);
  t.deepEqual(access()?.hostnames, ['*', '*.other.test']);
  t.is(conditionsOf('p')[0], 'edge Accepted=True Accepted');
  t.is(conditionsOf('q')[0], 'edge Accepted=True Accepted');
  put(graph, policy('o', ref('Gateway', 'other'), { clientIPs }));
  build();
  t.deepEqual(
    access()?.demands.map(({ source, hostnames }) => [source, hostnames]),
    [
      ['default/p', ['*']],
      ['default/o', ['*.other.test']],
    ],
  );
  graph.remove('AccessPolicy', 'default/p');
  graph.remove('AccessPolicy', 'default/o');
  build();
  t.is(access(), undefined);
});

test('the policy of a Gateway of another controller reports nothing', (t) => {
  const { graph, build, conditionsOf } = world();
  put(graph, policy('p', ref('Gateway', 'edge'), { clientIPs }));
  build();
  t.is(conditionsOf('p').length, 2);
  put(graph, gatewayClass('gatewright', 'other.example/controller'));
  build();
  t.deepEqual(conditionsOf('p'), []);
});

test('access stands before ExternalAuth in the filters of a rule, for digests are made of their order', (t) => {
  const { graph, build, fleet } = world();
  const filters = [
    { type: 'ExternalAuth', externalAuth: { protocol: 'HTTP', backendRef: { name: 'web', port: 80 }, http: {} } },
    { type: 'CORS', cors: { allowOrigins: ['*'] } },
  ];
  put(
    graph,
    httpRoute('a', { hostnames: ['a.test'], rules: [{ filters, backendRefs: [{ name: 'web', port: 80 }] }] } as never),
  );
  put(graph, policy('p', ref('HTTPRoute', 'a'), { csrf: {} }));
  build();
  const routes = fleet().tables.get('http/80')?.exact.get('a.test')?.routes ?? [];
  t.deepEqual(Object.keys(routes.at(-1)?.rule.filters ?? {}), ['cors', 'access', 'externalAuth']);
  t.true(
    routes.every(({ rule }) => rule.filters?.access !== undefined),
    'answers to preflights too',
  );
});

test('a label that comes to a Secret lets its keys in', (t) => {
  const { graph, build, accessOf } = world();
  put(graph, policy('p', ref('HTTPRoute', 'a'), { apiKeys }), secret('keys', { ann: 'one' }));
  build();
  t.deepEqual(accessOf('a.test'), [{ route: { closed: ['apiKeys'] } }]);
  put(graph, secret('keys', { ann: 'one' }, labelled));
  build();
  t.is(accessOf('a.test')?.[0]?.route?.closed, undefined);
});

const origins = (...allowOrigins: readonly string[]) => ({ cors: { allowOrigins } });

test('CORS of a Gateway’s policy is in all of its routes, and only a change of it resolves them again', (t) => {
  const { graph, build, fleet, conditionsOf } = world();
  const without = graph.snapshot()?.id;
  const originsAt = (host: string) =>
    fleet()
      .tables.get('http/80')
      ?.exact.get(host)
      ?.routes.map(({ rule }) => rule.filters?.cors?.origins.map(({ value }) => value).join())
      .at(-1);
  const hostsOf = (changes: readonly ir.Change[]) => [
    ...new Set(changes.flatMap((change) => (change.kind === 'virtualHost' ? change.host : []))),
  ];
  put(graph, policy('p', ref('Gateway', 'edge'), origins('https://a.test')));
  t.deepEqual(hostsOf(build().changes).sort(), ['a.test', 'b.test']);
  t.is(originsAt('a.test'), 'https://a.test');
  t.deepEqual(conditionsOf('p'), ['edge Accepted=True Accepted', 'edge ResolvedRefs=True ResolvedRefs']);
  t.is(fleet().tables.get('http/80')?.access, undefined, 'it demands nothing');

  put(graph, policy('p', ref('Gateway', 'edge'), { ...origins('https://a.test'), clientIPs }));
  t.deepEqual(placesOf(build().changes), guarded, 'another part changes no route');

  put(graph, policy('p', ref('Gateway', 'edge'), origins('https://b.test')));
  t.deepEqual(hostsOf(build().changes).sort(), ['a.test', 'b.test']);

  // The most specific applies alone.
  put(graph, policy('q', ref('HTTPRoute', 'a'), origins('https://route.test')));
  t.deepEqual(hostsOf(build().changes), ['a.test']);
  t.is(originsAt('a.test'), 'https://route.test');
  const rules = (filters: readonly object[]) => ({
    hostnames: ['a.test'],
    rules: [{ name: 'all', filters, backendRefs: [{ name: 'web', port: 80 }] }],
  });
  put(
    graph,
    httpRoute('a', rules([]) as never),
    policy('r', ref('HTTPRoute', 'a', 'all'), origins('https://rule.test')),
  );
  build();
  t.is(originsAt('a.test'), 'https://rule.test');
  put(graph, httpRoute('a', rules([{ type: 'CORS', cors: { allowOrigins: ['https://own.test'] } }]) as never));
  build();
  t.is(originsAt('a.test'), 'https://own.test');
  t.is(originsAt('b.test'), 'https://b.test');

  // An older policy of the Gateway is in force alone, and one that is wrong permits nothing.
  const bad = { cors: { allowOrigins: ['*'], allowCredentials: true } };
  put(graph, policy('older', ref('Gateway', 'edge'), bad, '2025-01-01'));
  build();
  t.is(originsAt('b.test'), '', 'an invalid one permits nothing');
  t.is(conditionsOf('older')[0], 'edge Accepted=False Invalid');
  t.is(conditionsOf('p')[0], 'edge Accepted=False Conflicted');
  t.is(
    fleet().tables.get('http/80')?.exact.get('b.test')?.routes.at(-1)?.rule.action.kind,
    'forward',
    'and closes nothing',
  );

  for (const name of ['p', 'q', 'r', 'older']) graph.remove('AccessPolicy', `default/${name}`);
  put(graph, httpRoute('a', { hostnames: ['a.test'] }));
  build();
  t.is(graph.snapshot()?.id, without);
});

test('whether listeners ask for the certificates that a policy demands is said as the Gateway changes', (t) => {
  const { graph, build, conditionsOf } = world();
  const accepted = (name: string) => conditionsOf(name).filter((text) => text.includes('Accepted'));
  const validation = { caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authorities' }] };
  const edge = (tlsOfGateway?: object) =>
    gateway('edge', [{ name: 'http' }, https('any')] as never, {
      ...(tlsOfGateway && { tls: { frontend: tlsOfGateway } as never }),
    });
  const clientCertificates = { required: true };
  put(
    graph,
    edge(),
    configMap('authorities', { 'ca.crt': good.certificate }),
    policy('of-route', ref('HTTPRoute', 'a'), { clientCertificates }),
    policy('of-gateway', ref('Gateway', 'edge'), { clientCertificates }),
    policy('of-listener', ref('Gateway', 'edge', 'any'), { clientCertificates }),
  );
  build();
  for (const name of ['of-route', 'of-gateway', 'of-listener'])
    t.deepEqual(accepted(name), ['edge Accepted=False Invalid'], name);
  put(graph, edge({ default: { validation } }));
  build();
  for (const name of ['of-route', 'of-gateway'])
    t.deepEqual(accepted(name), ['edge Accepted=True CertificatesNotRequested'], name);
  t.deepEqual(accepted('of-listener'), ['edge Accepted=True Accepted']);
  put(graph, edge({ default: { validation }, perPort: [{ port: 443, tls: {} }] }));
  build();
  t.deepEqual(accepted('of-route'), ['edge Accepted=False Invalid'], 'the port asks for none');
});

const affected = 'gatewright.dev/AccessPolicyAffected';
type Said = { readonly conditions?: readonly { readonly type: string; readonly message: string }[] };
const saidOf = ({ conditions = [] }: Said): string | undefined =>
  conditions.find(({ type }) => type === affected)?.message;

test('each target says which policies act on it, and no route says it of its Gateway', (t) => {
  const { graph, build } = world();
  const status = (kind: 'Gateway' | 'ListenerSet' | 'HTTPRoute', name: string) =>
    graph.statusOf(kind, `default/${name}`) as unknown as {
      conditions: Said['conditions'];
      listeners: readonly (Said & { name: string })[];
      parents: readonly Said[];
    };
  put(
    graph,
    gateway('edge', [{ name: 'http' }, https('shop', '*.shop.test')] as never, {
      allowedListeners: { namespaces: { from: 'Same' } },
    }),
    listenerSet('team', [{ name: 'own', hostname: '*.team.test' }] as never),
    httpRoute('a', {
      hostnames: ['a.test'],
      rules: [{ name: 'first', backendRefs: [{ name: 'web', port: 80 }] }] as never,
    }),
    secret('keys', { ann: 'k' }, labelled),
  );
  build();
  put(
    graph,
    policy('p', ref('Gateway', 'edge'), { clientIPs }),
    policy('late', ref('Gateway', 'edge'), { clientIPs }, '2026-02-01'),
    policy('listener', ref('Gateway', 'edge', 'shop'), { csrf: {} }),
    policy('set', ref('ListenerSet', 'team'), { csrf: {} }),
    policy('set-listener', ref('ListenerSet', 'team', 'own'), { clientIPs }),
  );
  const { statuses } = build();
  t.true(statuses.includes('Gateway default/edge') && statuses.includes('ListenerSet default/team'));
  t.deepEqual(
    statuses.filter((name) => name.startsWith('HTTPRoute')),
    [],
    'twenty thousand routes stay as they are',
  );
  const edge = status('Gateway', 'edge');
  t.is(saidOf(edge), 'AccessPolicy default/p', 'a policy whose parts are all taken acts on nothing');
  t.deepEqual(
    edge.listeners.map((each) => [each.name, saidOf(each)]),
    [
      ['http', undefined],
      ['shop', 'AccessPolicy default/listener'],
    ],
  );
  const team = status('ListenerSet', 'team');
  t.is(saidOf(team), 'AccessPolicy default/set');
  t.is(saidOf(team.listeners[0] as Said), 'AccessPolicy default/set-listener');

  put(
    graph,
    policy('whole', ref('HTTPRoute', 'a'), { csrf: {} }),
    policy('one', ref('HTTPRoute', 'a', 'first'), { apiKeys }),
    policy('none', ref('HTTPRoute', 'a', 'absent'), { apiKeys }),
  );
  t.deepEqual(
    build().statuses.filter((name) => name.startsWith('HTTPRoute')),
    ['HTTPRoute default/a'],
  );
  t.is(saidOf(status('HTTPRoute', 'a').parents[0] as Said), 'AccessPolicy default/whole, default/one');
  t.is(saidOf(status('HTTPRoute', 'b').parents[0] as Said), undefined);

  for (const name of ['p', 'listener', 'set', 'set-listener', 'whole', 'one', 'none'])
    graph.remove('AccessPolicy', `default/${name}`);
  build();
  t.is(saidOf(status('Gateway', 'edge')), 'AccessPolicy default/late');
  t.is(saidOf(status('HTTPRoute', 'a').parents[0] as Said), undefined);
  t.is(saidOf(status('ListenerSet', 'team')), undefined);
});

test('of more Gateways than a status has room for, the last entry says how many more, and where all are listed', (t) => {
  const { graph, build } = world();
  const names = Array.from({ length: 20 }, (_, index) => `g${String(index).padStart(2, '0')}`);
  put(graph, ...names.map((name) => gateway(name, [{ name: 'http' }] as never)));
  put(
    graph,
    ownObject('AccessPolicy', 'many', {
      targetRefs: names.slice(0, 16).map((name) => ref('Gateway', name)),
      clientIPs,
    }),
    httpRoute('everywhere', { hostnames: ['all.test'], parentRefs: names.map((name) => ({ name })) } as never),
    policy('route', ref('HTTPRoute', 'everywhere'), { clientIPs }),
  );
  build();
  const entries = (name: string) => (graph.statusOf('AccessPolicy', `default/${name}`) as PolicyStatus).ancestors;
  t.deepEqual(
    entries('many').map(({ conditions }) => conditions[0]?.message),
    Array.from({ length: 16 }, () => ''),
  );
  const route = entries('route');
  t.is(route.length, 16);
  t.is(route[15]?.conditions[0]?.message, 'and 4 more Gateways, see /v1/access?policy=default/route');
  t.is(route[14]?.conditions[0]?.message, '');
});
