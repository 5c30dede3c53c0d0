import test from 'ava';
import { kindModules } from '../../../src/controllers/index.ts';
import type { Condition, GatewayStatus, PolicyStatus } from '../../../src/gateway-api/index.ts';
import { Graph } from '../../../src/graph/index.ts';
import type * as ir from '../../../src/ir/index.ts';
import { digestOf } from '../../../src/ir/index.ts';
import { testCertificates } from '../../support/certificates.ts';
import {
  backendTlsPolicy,
  controllerName,
  dataPlane,
  dataPlaneRef,
  gateway,
  gatewayClass,
  httpRoute,
  listenerSet,
  ownObject,
  secret,
  service,
} from '../../support/objects.ts';
import { type AnyObject, newGraph, put, someTime } from '../../support/world.ts';

const [good] = testCertificates;
const older = { created: '2026-01-01T00:00:00Z' };
const younger = { created: '2026-01-02T00:00:00Z' };
const fleet = 'gatewright-system/class:gatewright';

const sharing = (shared: object | null = {}): AnyObject[] => [
  gatewayClass('gatewright', undefined, { parametersRef: dataPlaneRef('pool', 'default') }),
  dataPlane('pool', { ...(shared && { shared }), replicas: 2 }),
  service('shop', [80]),
];

const web = (name: string, port: number, hostname?: string) => ({ name, port, protocol: 'HTTP', hostname }) as never;
const tls = (name: string, hostname: string) =>
  ({ name, port: 443, protocol: 'HTTPS', hostname, tls: { certificateRefs: [{ name: 'cert' }] } }) as never;
const route = (name: string, parent: string, hostnames: readonly string[] = []) =>
  httpRoute(name, {
    parentRefs: [{ name: parent }],
    hostnames,
    rules: [{ backendRefs: [{ name: 'shop', port: 80 }] }],
  } as never);

function built(...objects: readonly AnyObject[]): Graph {
  const graph = newGraph();
  put(graph, ...objects);
  graph.build(someTime);
  return graph;
}

const statusOf = (graph: Graph, key: string) => graph.statusOf('Gateway', key) as GatewayStatus;
const find = (conditions: readonly Condition[] | undefined, type: string) => {
  const condition = conditions?.find((each) => each.type === type);
  return condition && [condition.status, condition.reason];
};
const ofListener = (graph: Graph, key: string, name: string, type: string) =>
  statusOf(graph, key)
    .listeners.find((each) => each.name === name)
    ?.conditions.find((each) => each.type === type);
const snapshotOf = (graph: Graph) => graph.snapshot() as ir.Snapshot;
const hostsOf = (graph: Graph, table: string): string[] =>
  [...(snapshotOf(graph).gateways.get(fleet)?.tables.get(table)?.exact.entries() ?? [])]
    .flatMap(([host, { routes }]) => routes.map(({ id }) => `${host} ${id.split('/')[2]}`))
    .sort();

test('the Gateways of a class that shares its proxies are served by one fleet, in the namespace that is asked for', (t) => {
  const graph = built(...sharing(), gateway('a', [web('web', 80, 'a.test')]), gateway('b', [web('web', 80, 'b.test')]));
  t.deepEqual([...snapshotOf(graph).gateways.keys()], [fleet]);
  t.is(graph.fleetOf('default/a'), fleet);
  t.deepEqual([...graph.gatewaysOf(fleet)], ['default/a', 'default/b']);
  put(graph, dataPlane('pool', { shared: { namespace: 'edge' } }, { generation: 2 }));
  const { resolved } = graph.build(someTime);
  t.deepEqual([...snapshotOf(graph).gateways.keys()], ['edge/class:gatewright']);
  t.deepEqual(resolved.map(({ key, fleet: after }) => [key, after !== undefined]).sort(), [
    ['edge/class:gatewright', true],
    [fleet, false],
  ]);
});

test('requests go by host to the routes of the Gateway whose listener it is, and to no other', (t) => {
  const graph = built(
    ...sharing(),
    gateway('a', [web('web', 80, 'a.test'), web('rest', 80)], older),
    gateway('b', [web('web', 80, 'b.test')], younger),
    route('of-a', 'a', ['a.test', 'b.test', 'c.test']),
    route('of-b', 'b'),
  );
  t.deepEqual(hostsOf(graph, 'http/80'), ['a.test of-a', 'b.test of-b', 'c.test of-a']);
  graph.remove('Gateway', 'default/b');
  graph.build(someTime);
  t.deepEqual(hostsOf(graph, 'http/80'), ['a.test of-a', 'b.test of-a', 'c.test of-a']);
});

test('the older Gateway keeps a port and hostname; the other listener says who has it, and its neighbours work', (t) => {
  const graph = built(
    ...sharing(),
    gateway(
      'late',
      [web('web', 80, 'a.test'), web('more', 80, 'more.test'), { name: 'tcp', port: 81, protocol: 'TCP' }],
      younger,
    ),
    gateway('early', [web('first', 80, 'a.test'), web('second', 81)], older),
    route('of-late', 'late'),
    route('of-early', 'early'),
  );
  const conflicted = ofListener(graph, 'default/late', 'web', 'Conflicted');
  t.is(conflicted?.reason, 'HostnameConflict');
  t.regex(conflicted?.message ?? '', /Listener first of Gateway default\/early/);
  t.is(ofListener(graph, 'default/late', 'web', 'Accepted')?.status, 'False');
  t.is(ofListener(graph, 'default/late', 'tcp', 'Conflicted')?.reason, 'ProtocolConflict');
  t.is(ofListener(graph, 'default/late', 'more', 'Conflicted')?.status, 'False');
  t.deepEqual(find(statusOf(graph, 'default/late').conditions, 'Accepted'), ['True', 'ListenersNotValid']);
  t.deepEqual(find(statusOf(graph, 'default/early').conditions, 'Accepted'), ['True', 'Accepted']);
  t.deepEqual(hostsOf(graph, 'http/80'), ['a.test of-early', 'more.test of-late']);
  graph.remove('Gateway', 'default/early');
  graph.build(someTime);
  t.is(ofListener(graph, 'default/late', 'web', 'Conflicted')?.status, 'False');
  t.deepEqual(hostsOf(graph, 'http/80'), ['a.test of-late', 'more.test of-late']);
});

test('a listener that cannot serve blocks no other listener', (t) => {
  const broken = { name: 'bad', port: 443, protocol: 'HTTPS', hostname: 'a.test' } as never;
  const graph = built(
    ...sharing(),
    secret('cert', { 'tls.crt': good.certificate, 'tls.key': good.key }, { namespace: 'default' }),
    gateway('early', [broken, web('one', 80, 'x.test'), web('two', 80, 'x.test')], older),
    gateway('late', [tls('good', 'a.test'), web('web', 80, 'x.test')], younger),
  );
  t.is(ofListener(graph, 'default/late', 'good', 'Conflicted')?.status, 'False');
  t.is(ofListener(graph, 'default/late', 'web', 'Conflicted')?.status, 'False');
});

test('listeners of one name, with TLS, are chains of their own, and a ListenerSet goes with its Gateway', (t) => {
  const allowedListeners = { namespaces: { from: 'Same' } } as const;
  const graph = built(
    ...sharing(),
    secret('cert', { 'tls.crt': good.certificate, 'tls.key': good.key }, { namespace: 'default' }),
    gateway('a', [tls('web', 'a.test')], { ...older, allowedListeners } as never),
    gateway('b', [tls('web', 'b.test')], younger),
    listenerSet('more', [tls('web', 'b.test')], { parent: { name: 'a', namespace: 'default' }, ...younger }),
    route('of-b', 'b'),
  );
  const chains = snapshotOf(graph)
    .gateways.get(fleet)
    ?.listeners.get('https/443')
    ?.chains.map(({ name }) => name);
  t.deepEqual(chains, ['default/a/web', 'default/a/default/more/web']);
  t.is(ofListener(graph, 'default/b', 'web', 'Conflicted')?.reason, 'HostnameConflict');
  graph.remove('ListenerSet', 'default/more');
  graph.build(someTime);
  t.deepEqual(hostsOf(graph, 'https/443/default/b/web'), ['b.test of-b']);
});

test('a listener that proxies reject is reported, and no listener of a neighbour', (t) => {
  const graph = built(
    ...sharing(),
    secret('cert', { 'tls.crt': good.certificate, 'tls.key': good.key }, { namespace: 'default' }),
    gateway('a', [tls('web', 'a.test')], older),
    gateway('b', [tls('web', '*.test')], younger),
  );
  const chainsOf = () => snapshotOf(graph).gateways.get(fleet)?.listeners.get('https/443')?.chains ?? [];
  const [bad] = chainsOf();
  const rejection = {
    kind: 'listener',
    gateway: fleet,
    key: 'https/443|default/a/web',
    message: 'bad cipher',
  } as const;
  graph.hold({ ...rejection, digest: digestOf(bad as object) });
  graph.build(someTime);
  t.regex(ofListener(graph, 'default/a', 'web', 'Programmed')?.message ?? '', /rejected by the proxy.*bad cipher/);
  t.notRegex(ofListener(graph, 'default/b', 'web', 'Programmed')?.message ?? '', /rejected/);
  put(graph, gateway('a', [tls('web', 'other.test')], older));
  graph.build(someTime);
  t.notRegex(ofListener(graph, 'default/a', 'web', 'Programmed')?.message ?? '', /rejected/);
});

test('a Gateway of such a class has no parameters of its own, and a Gateway cannot ask for shared proxies', (t) => {
  const infrastructure = { parametersRef: dataPlaneRef('pool') };
  const graph = built(...sharing(), gatewayClass('plain'), gateway('own', [{}], { infrastructure } as never), {
    ...gateway('wants', [{}], { infrastructure } as never),
    spec: { ...gateway('wants', [{}], { infrastructure } as never).spec, gatewayClassName: 'plain' },
  } as AnyObject);
  for (const key of ['default/own', 'default/wants'])
    t.deepEqual(find(statusOf(graph, key).conditions, 'Accepted'), ['False', 'InvalidParameters'], key);
  const messageOf = (key: string) => statusOf(graph, key).conditions.find(({ type }) => type === 'Accepted')?.message;
  t.regex(
    messageOf('default/own') ?? '',
    /GatewayClass gatewright share one set of proxies.*remove infrastructure\.parametersRef/,
  );
  t.regex(messageOf('default/wants') ?? '', /a GatewayClass alone can have.*remove its spec\.shared/);
  t.is(graph.fleetOf('default/wants'), 'default/wants');
});

test("a tenant's Gateway on shared proxies cannot show the clients of the others: the class's DataPlane alone decides", (t) => {
  const infrastructure = { parametersRef: dataPlaneRef('showing') };
  const graph = built(
    ...sharing(),
    dataPlane('showing', { failures: { clientAddress: 'Show' } }),
    gateway('a', [web('web', 80)]),
    gateway('own', [web('web', 80, 'own.test')], { infrastructure }),
  );
  const chainsOf = () =>
    [...(snapshotOf(graph).gateways.get(fleet)?.listeners.values() ?? [])].flatMap(({ chains }) => chains);
  t.true(chainsOf().length > 0);
  t.deepEqual(
    chainsOf().filter((chain) => 'showsClients' in chain),
    [],
  );
  put(graph, dataPlane('pool', { shared: {}, failures: { clientAddress: 'Show' } }));
  graph.build(someTime);
  t.true(chainsOf().every((chain) => 'showsClients' in chain));
});

test('what a port cannot have twice is the older Gateway’s policy’s, and the other policy says so', (t) => {
  const policy = (name: string, target: string, bufferBytes: number) =>
    ownObject('ListenerPolicy', name, {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: target }],
      limits: { bufferBytes },
    });
  const graph = built(
    ...sharing(),
    gateway('a', [web('web', 80, 'a.test')], older),
    gateway('b', [web('web', 80, 'b.test'), web('other', 8080)], younger),
    policy('for-a', 'a', 4096),
    policy('for-b', 'b', 8192),
  );
  const listeners = snapshotOf(graph).gateways.get(fleet)?.listeners;
  t.is(listeners?.get('http/80')?.bufferBytes, 4096);
  t.is(listeners?.get('http/8080')?.bufferBytes, 8192);
  const accepted = (name: string) =>
    (graph.statusOf('ListenerPolicy', `default/${name}`) as PolicyStatus).ancestors[0]?.conditions[0];
  t.is(accepted('for-a')?.status, 'True');
  t.is(accepted('for-b')?.reason, 'Conflicted');
  t.regex(accepted('for-b')?.message ?? '', /what listener web of Gateway default\/a says/);
});

test('policies of backends name the Gateways, not their proxies', (t) => {
  const graph = built(
    ...sharing(),
    gateway('a', [web('web', 80, 'a.test')]),
    gateway('b', [web('web', 80, 'b.test')]),
    route('of-a', 'a'),
    backendTlsPolicy('policy', {
      targetRefs: [{ group: '', kind: 'Service', name: 'shop' }],
      validation: { hostname: 'x.test', wellKnownCACertificates: 'System' },
    } as never),
  );
  const ancestors = () =>
    (graph.statusOf('BackendTLSPolicy', 'default/policy') as PolicyStatus).ancestors.map(
      ({ ancestorRef }) => ancestorRef.name,
    );
  t.deepEqual(ancestors(), ['a']);
  put(graph, route('of-b', 'b'));
  graph.build(someTime);
  t.deepEqual(ancestors(), ['a', 'b']);
  graph.remove('HTTPRoute', 'default/of-a');
  graph.build(someTime);
  t.deepEqual(ancestors(), ['b']);
  t.is(snapshotOf(graph).gateways.get(fleet)?.backends.size, 1);
});

test('addresses are those of the fleet, and a neighbour that comes takes nothing from who is served', (t) => {
  const graph = built(
    ...sharing(),
    secret('cert', { 'tls.crt': good.certificate, 'tls.key': good.key }, { namespace: 'default' }),
    gateway('a', [tls('web', 'a.test')]),
  );
  graph.setDataPlane(fleet, { addresses: [{ type: 'IPAddress', value: '192.0.2.1' }], message: '' });
  const acknowledge = () =>
    graph.acknowledge(fleet, snapshotOf(graph).gateways.get(fleet)?.listenersDigest as ir.Digest);
  acknowledge();
  graph.build(someTime);
  const programmed = (key: string) => find(statusOf(graph, key).conditions, 'Programmed')?.[0];
  t.is(programmed('default/a'), 'True');
  put(graph, gateway('b', [tls('web', 'b.test')]));
  const { statuses } = graph.build(someTime);
  t.deepEqual([programmed('default/a'), programmed('default/b')], ['True', 'False']);
  t.false(
    statuses.some(({ key }) => key === 'default/a'),
    'nothing of it is written again',
  );
  acknowledge();
  graph.build(someTime);
  t.deepEqual([programmed('default/a'), programmed('default/b')], ['True', 'True']);
  t.deepEqual(statusOf(graph, 'default/b').addresses, [{ type: 'IPAddress', value: '192.0.2.1' }]);
});

test('a port that only a neighbour waits for keeps no other Gateway from being programmed', (t) => {
  const graph = built(
    ...sharing(),
    gateway('a', [{ name: 'web', port: 80, protocol: 'HTTP' }]),
    gateway('b', [{ name: 'web', port: 8080, protocol: 'HTTP' }]),
  );
  const said = (key: string) => [
    find(statusOf(graph, key).conditions, 'Programmed')?.[0],
    statusOf(graph, key).addresses.length,
  ];
  graph.acknowledge(fleet, snapshotOf(graph).gateways.get(fleet)?.listenersDigest as ir.Digest);
  graph.setDataPlane(fleet, { ...address('192.0.2.1'), open: [] });
  graph.build(someTime);
  t.deepEqual(
    [said('default/a'), said('default/b')],
    [
      ['False', 0],
      ['False', 0],
    ],
  );
  graph.setDataPlane(fleet, { ...address('192.0.2.1'), open: ['TCP/80'] });
  graph.build(someTime);
  t.deepEqual(
    [said('default/a'), said('default/b')],
    [
      ['True', 1],
      ['False', 0],
    ],
  );
  graph.setDataPlane(fleet, { ...address('192.0.2.1'), open: [] });
  graph.build(someTime);
  t.deepEqual(said('default/a'), ['False', 1], 'clients know the address');
});

test('before anything is said of proxies after a start, the stored status holds', (t) => {
  const condition = {
    type: 'Programmed',
    status: 'True',
    reason: 'Programmed',
    message: '',
    observedGeneration: 1,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const addresses = [{ type: 'IPAddress', value: '192.0.2.1' }];
  const stored = { ...gateway('a'), status: { addresses, conditions: [condition] } } as ReturnType<typeof gateway>;
  const graph = built(...sharing(), stored);
  const said = () => [
    find(statusOf(graph, 'default/a').conditions, 'Programmed')?.[0],
    statusOf(graph, 'default/a').addresses,
  ];
  t.deepEqual(said(), ['True', addresses]);
  graph.setDataPlane(fleet, { ...address('192.0.2.1'), open: [], message: 'no pod is ready' });
  graph.build(someTime);
  t.deepEqual(said(), ['False', addresses]);
});

test('proxies of a class stay shared while the DataPlane that says so is away', (t) => {
  const graph = built(...sharing(), gateway('a'));
  graph.remove('DataPlane', 'default/pool');
  const { resolved } = graph.build(someTime);
  t.deepEqual([...snapshotOf(graph).gateways.keys()], [fleet]);
  t.is(resolved.find(({ key }) => key === fleet)?.fleet?.parameters.spec, undefined);
  t.deepEqual(find(statusOf(graph, 'default/a').conditions, 'Accepted'), ['False', 'InvalidParameters']);
});

const address = (value: string) => ({ addresses: [{ type: 'IPAddress' as const, value }], message: '' });

test('who moves to other proxies keeps the former ones, their address and endpoints until the new ones serve', (t) => {
  const graph = new Graph({
    controllerName,
    kinds: kindModules,
    bind: (_g, port) => ({ address: '0.0.0.0', port }),
    oldFleetGraceMs: 60_000,
  });
  put(graph, ...sharing(null), gateway('a'), gateway('b'), route('of-a', 'a'), route('of-b', 'b'));
  graph.build(someTime);
  for (const key of ['default/a', 'default/b']) graph.setDataPlane(key, address('192.0.2.1'));
  put(graph, dataPlane('pool', { shared: {} }, { generation: 2 }));
  const { resolved } = graph.build(someTime);
  t.deepEqual(
    resolved.map(({ key }) => key),
    [fleet],
    'no fleet is asked to end the former ones',
  );
  t.deepEqual([...snapshotOf(graph).gateways.keys()].sort(), ['default/a', 'default/b', fleet]);
  t.is(snapshotOf(graph).gateways.get('default/a')?.backends.size, 1);
  t.is(statusOf(graph, 'default/a').addresses[0]?.value, '192.0.2.1');
  graph.setDataPlane(fleet, address('192.0.2.9'));
  graph.build(someTime);
  t.is(snapshotOf(graph).gateways.size, 3, 'no proxy has applied it yet');
  t.is(statusOf(graph, 'default/a').addresses[0]?.value, '192.0.2.1');
  graph.acknowledge(fleet, snapshotOf(graph).gateways.get(fleet)?.listenersDigest as ir.Digest);
  const { due } = graph.build(someTime);
  t.is(due?.getTime(), someTime.getTime() + 60_000);
  t.is(statusOf(graph, 'default/a').addresses[0]?.value, '192.0.2.9');
  t.is(snapshotOf(graph).gateways.size, 3, 'clients still have to hear of it');
  const end = graph.build(due as Date);
  t.is(end.due, undefined);
  t.deepEqual([...snapshotOf(graph).gateways.keys()], [fleet]);
  t.deepEqual(end.resolved.map(({ key, fleet: after }) => [key, after]).sort(), [
    ['default/a', undefined],
    ['default/b', undefined],
  ]);
  t.is(statusOf(graph, 'default/a').addresses[0]?.value, '192.0.2.9');
});

test('who comes back before the move was over is served as it is now', (t) => {
  const graph = new Graph({
    controllerName,
    kinds: kindModules,
    bind: (_g, port) => ({ address: '0.0.0.0', port }),
    oldFleetGraceMs: 60_000,
  });
  put(graph, ...sharing(null), gateway('a'), route('of-a', 'a', ['x.test']));
  graph.build(someTime);
  put(graph, dataPlane('pool', { shared: {} }, { generation: 2 }));
  graph.build(someTime);
  put(graph, route('of-a', 'a', ['y.test']));
  put(graph, dataPlane('pool', {}, { generation: 3 }));
  graph.build(someTime);
  const hosts = [...(snapshotOf(graph).gateways.get('default/a')?.tables.get('http/80')?.exact.keys() ?? [])];
  t.deepEqual(hosts, ['y.test']);
  t.is(snapshotOf(graph).gateways.get('default/a')?.backends.size, 1);
});
