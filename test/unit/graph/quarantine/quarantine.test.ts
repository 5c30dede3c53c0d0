import test from 'ava';
import type { GatewayStatus, RouteParentStatus } from '../../../../src/gateway-api/index.ts';
import type { BuildResult, Graph, Rejection } from '../../../../src/graph/index.ts';
import { allChanges } from '../../../../src/ir/index.ts';
import { type Origin, Translator } from '../../../../src/translate/index.ts';
import { testCertificates } from '../../../support/certificates.ts';
import {
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  l4Route,
  listener,
  secret,
  service,
} from '../../../support/objects.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

const key = 'default/edge';
const [pair] = testCertificates;

/** A gateway with web routes `good` and `bad` on host a.test, and the same for connections. */
function world(): Graph {
  const graph = newGraph();
  const tls = { certificateRefs: [{ name: 'cert' }] };
  put(
    graph,
    gatewayClass(),
    gateway('edge', [
      listener(),
      listener({ name: 'https', port: 443, protocol: 'HTTPS', tls } as never),
      listener({ name: 'tcp', port: 9000, protocol: 'TCP' }),
    ]),
    secret('cert', { 'tls.crt': pair.certificate, 'tls.key': pair.key }),
    service('web'),
    endpointSlice('web', ['10.0.0.1']),
    route('good', '/good'),
    route('bad', '/bad'),
    l4Route('TCPRoute', 'older', { parentRefs: [{ name: 'edge', sectionName: 'tcp' }] } as never),
    l4Route('TCPRoute', 'younger', { parentRefs: [{ name: 'edge', sectionName: 'tcp' }] } as never, {
      created: '2026-02-01T00:00:00Z',
    }),
  );
  graph.setDataPlane(key, { addresses: [{ type: 'IPAddress', value: '127.0.0.1' }], message: '' });
  graph.build(someTime);
  graph.acknowledge(key, graph.snapshot()?.gateways.get(key)?.listenersDigest ?? 0n);
  graph.build(someTime);
  return graph;
}

const route = (name: string, path: string, generation = 1) =>
  httpRoute(
    name,
    {
      hostnames: ['a.test'],
      parentRefs: [{ name: 'edge', sectionName: 'http' }],
      rules: [{ matches: [{ path: { type: 'PathPrefix', value: path } }], backendRefs: [{ name: 'web', port: 80 }] }],
    } as never,
    { generation },
  );

/** What a proxy that was sent the present snapshot would name. */
function originsOf(graph: Graph): Origin[] {
  const snapshot = graph.snapshot();
  if (!snapshot) throw new Error('nothing was built');
  const changes = new Translator().translate(snapshot, allChanges(snapshot));
  return changes.flatMap(({ upserts }) => upserts.flatMap(({ provenance }) => [...(provenance?.origins() ?? [])]));
}

function rejectionOf(graph: Graph, kind: Origin['kind'], name: string, message = 'bad thing'): Rejection {
  const origin = originsOf(graph).find((each) => each.kind === kind && each.key === name);
  if (!origin) throw new Error(`the proxies have no ${kind} ${name}`);
  return { ...origin, gateway: key, message };
}

/** It cannot be encoded. */
function reject(graph: Graph, kind: Origin['kind'], name: string, message?: string): BuildResult {
  graph.reject(rejectionOf(graph, kind, name, message));
  return graph.build(someTime);
}

/** All proxies reject it. Gives what takes that back. */
function hold(graph: Graph, kind: Origin['kind'], name: string, message?: string): () => void {
  const rejection = rejectionOf(graph, kind, name, message);
  const before = graph.snapshot()?.id;
  graph.hold(rejection);
  if (graph.build(someTime).snapshot.id !== before) throw new Error('what is sent depends on what proxies say');
  return () => {
    graph.release(rejection);
    graph.build(someTime);
  };
}

const hostRoutes = (graph: Graph): string[] =>
  (graph.snapshot()?.gateways.get(key)?.tables.get('http/80')?.exact.get('a.test')?.routes ?? []).map(({ id }) =>
    id.split('/').slice(0, 3).join('/'),
  );

const parentOf = (graph: Graph, kind: 'HTTPRoute' | 'TCPRoute', name: string): RouteParentStatus | undefined => {
  const status = graph.statusOf(kind, `default/${name}`);
  return status && 'parents' in status ? status.parents[0] : undefined;
};

const conditionOf = (graph: Graph, kind: 'HTTPRoute' | 'TCPRoute', name: string, type: string) =>
  parentOf(graph, kind, name)?.conditions.find((condition) => condition.type === type);

const listenersOf = (graph: Graph) => {
  const status = graph.statusOf('Gateway', key) as GatewayStatus;
  const programmed = (conditions: GatewayStatus['conditions']) => conditions.find(({ type }) => type === 'Programmed');
  return {
    gateway: programmed(status.conditions),
    listener: (name: string) => programmed(status.listeners.find((each) => each.name === name)?.conditions ?? []),
    attached: (name: string) => status.listeners.find((each) => each.name === name)?.attachedRoutes,
  };
};

test('a route that is rejected leaves its host to the others, and says why', (t) => {
  const graph = world();
  const { changes, statuses } = reject(graph, 'route', 'httproute/default/bad', 'invalid perl operator: (?=');
  t.deepEqual(hostRoutes(graph), ['httproute/default/good']);
  t.like(conditionOf(graph, 'HTTPRoute', 'bad', 'Accepted'), { status: 'False', reason: 'UnsupportedValue' });
  t.regex(conditionOf(graph, 'HTTPRoute', 'bad', 'Accepted')?.message ?? '', /rejected.*invalid perl operator: \(\?=/);
  t.is(conditionOf(graph, 'HTTPRoute', 'good', 'Accepted')?.status, 'True');
  t.is(listenersOf(graph).attached('http'), 1);
  t.deepEqual(
    changes.map(({ kind }) => kind),
    ['virtualHost'],
    'nothing else was touched',
  );
  t.deepEqual(statuses.map((change) => change.key).sort(), ['default/bad', key]);
});

test('a rejected route stays out while its neighbours change, and comes back as soon as it does', (t) => {
  const graph = world();
  reject(graph, 'route', 'httproute/default/bad');
  put(graph, route('new', '/new'));
  graph.build(someTime);
  t.deepEqual(hostRoutes(graph).sort(), ['httproute/default/good', 'httproute/default/new']);
  put(graph, { ...route('bad', '/bad'), metadata: { ...route('bad', '/bad').metadata, generation: 2 } });
  graph.build(someTime);
  t.false(hostRoutes(graph).includes('httproute/default/bad'), 'a new generation of the same content is the same');
  put(graph, route('bad', '/fixed', 3));
  graph.build(someTime);
  t.true(hostRoutes(graph).includes('httproute/default/bad'));
  t.is(conditionOf(graph, 'HTTPRoute', 'bad', 'Accepted')?.status, 'True');
  t.deepEqual([...graph.rejections()], [], 'and nothing is remembered of it');
});

test('a rejection of content that has changed meanwhile does not count', (t) => {
  const graph = world();
  const stale = originsOf(graph).find((origin) => origin.key === 'httproute/default/bad') as Origin;
  put(graph, route('bad', '/fixed', 2));
  graph.build(someTime);
  graph.reject({ ...stale, gateway: key, message: 'too late' });
  t.deepEqual(graph.build(someTime).statuses, []);
  t.true(hostRoutes(graph).includes('httproute/default/bad'));
  t.deepEqual([...graph.rejections()], []);
});

test('what several proxies reject is rejected once, and what is not there costs nothing', (t) => {
  const graph = world();
  const origin = originsOf(graph).find((each) => each.key === 'httproute/default/bad') as Origin;
  graph.reject({ ...origin, gateway: key, message: 'one' });
  graph.build(someTime);
  graph.reject({ ...origin, gateway: key, message: 'two' });
  t.false(graph.isDirty);
  graph.reject({ kind: 'route', gateway: key, key: 'nonsense', digest: 1n, message: 'x' });
  t.deepEqual(graph.build(someTime).changes, []);
});

test('a route that all proxies reject stays in the snapshot, and says so for as long as they do', (t) => {
  const graph = world();
  const release = hold(graph, 'route', 'httproute/default/bad', 'invalid perl operator: (?=');
  t.is(hostRoutes(graph).length, 2);
  t.like(conditionOf(graph, 'HTTPRoute', 'bad', 'Accepted'), { status: 'False', reason: 'UnsupportedValue' });
  t.regex(conditionOf(graph, 'HTTPRoute', 'bad', 'Accepted')?.message ?? '', /rejected.*invalid perl operator: \(\?=/);
  t.is(conditionOf(graph, 'HTTPRoute', 'good', 'Accepted')?.status, 'True');
  put(graph, route('bad', '/fixed', 2));
  graph.build(someTime);
  t.is(conditionOf(graph, 'HTTPRoute', 'bad', 'Accepted')?.status, 'True', 'other content');
  put(graph, route('bad', '/bad', 3));
  graph.build(someTime);
  t.is(conditionOf(graph, 'HTTPRoute', 'bad', 'Accepted')?.status, 'False', 'the same again');
  release();
  t.is(conditionOf(graph, 'HTTPRoute', 'bad', 'Accepted')?.status, 'True');
  t.deepEqual([...graph.held()], []);
});

test('a rejection that arrives before its object is reported once the object is here', (t) => {
  const rejection = rejectionOf(world(), 'route', 'httproute/default/bad');
  const graph = world();
  put(graph, route('bad', '/older', 0));
  graph.build(someTime);
  graph.hold(rejection);
  graph.build(someTime);
  t.is(conditionOf(graph, 'HTTPRoute', 'bad', 'Accepted')?.status, 'True');
  put(graph, route('bad', '/bad'));
  graph.build(someTime);
  t.is(conditionOf(graph, 'HTTPRoute', 'bad', 'Accepted')?.status, 'False');
});

test('a rejection of one fleet says nothing of another that shares the Service', (t) => {
  const graph = world();
  const both = { parentRefs: [{ name: 'edge', sectionName: 'http' }, { name: 'other' }] };
  put(graph, gateway('other'), httpRoute('both', both as never));
  graph.build(someTime);
  hold(graph, 'backend', 'default/web/80', 'no such transport socket');
  const status = graph.statusOf('HTTPRoute', 'default/both');
  const parents = status && 'parents' in status ? status.parents : [];
  const resolved = parents.map(({ conditions }) => conditions.find(({ type }) => type === 'ResolvedRefs')?.status);
  t.deepEqual(resolved, ['False', 'True']);
});

test('a route of connections that all proxies reject says so', (t) => {
  const graph = world();
  hold(graph, 'route', 'tcproute/default/older');
  t.like(conditionOf(graph, 'TCPRoute', 'older', 'Accepted'), { status: 'False', reason: 'UnsupportedValue' });
});

test('the routes of a backend that all proxies reject say so until it changes', (t) => {
  const graph = world();
  hold(graph, 'backend', 'default/web/80', 'no such transport socket');
  t.like(conditionOf(graph, 'HTTPRoute', 'good', 'ResolvedRefs'), { status: 'False', reason: 'UnsupportedValue' });
  t.regex(
    conditionOf(graph, 'HTTPRoute', 'good', 'ResolvedRefs')?.message ?? '',
    /Service default\/web.*keeps to what it had.*no such transport/,
  );
  t.is(conditionOf(graph, 'HTTPRoute', 'good', 'Accepted')?.status, 'True');
  put(graph, service('web', [{ port: 80, name: 'p80', appProtocol: 'kubernetes.io/h2c' }] as never));
  graph.build(someTime);
  t.is(conditionOf(graph, 'HTTPRoute', 'good', 'ResolvedRefs')?.status, 'True');
});

test('endpoints that all proxies reject are reported on the routes that lead there', (t) => {
  const graph = world();
  hold(graph, 'endpoints', 'default/web/80', 'malformed IP address');
  t.is(graph.snapshot()?.endpoints.get('default/web/80')?.endpoints.length, 1);
  t.regex(conditionOf(graph, 'HTTPRoute', 'good', 'ResolvedRefs')?.message ?? '', /the endpoints of.*malformed/);
  put(graph, endpointSlice('web', ['10.0.0.2']));
  graph.build(someTime);
  t.is(conditionOf(graph, 'HTTPRoute', 'good', 'ResolvedRefs')?.status, 'True');
});

test('a certificate that all proxies reject fails its own listener', (t) => {
  const graph = world();
  const release = hold(graph, 'secret', 'default/cert', 'Failed to load certificate chain');
  const { listener: of, gateway: whole } = listenersOf(graph);
  t.like(of('https'), { status: 'False', reason: 'Invalid' });
  t.regex(of('https')?.message ?? '', /Secret default\/cert.*Failed to load certificate chain/);
  t.is(of('http')?.status, 'True');
  t.regex(whole?.message ?? '', /^https: /);
  release();
  t.is(listenersOf(graph).listener('https')?.status, 'True');
});

test('a listener that all proxies reject is reported, and no other', (t) => {
  const graph = world();
  hold(graph, 'listener', 'https/443', 'filter chain is bad');
  t.like(listenersOf(graph).listener('https'), { status: 'False', reason: 'Invalid' });
  t.is(listenersOf(graph).listener('http')?.status, 'True');
});

test('a port that no proxy can open is reported', (t) => {
  const graph = world();
  const release = hold(graph, 'listener', 'http/80', "cannot bind '0.0.0.0:80': Address already in use");
  t.like(listenersOf(graph).listener('http'), { status: 'False', reason: 'Invalid' });
  t.regex(listenersOf(graph).listener('http')?.message ?? '', /a proxy cannot open the port.*Address already in use/);
  t.is(listenersOf(graph).listener('tcp')?.status, 'True');
  release();
  t.is(listenersOf(graph).listener('http')?.status, 'True');
});

test('a proxy that is late takes nothing from what another one has applied', (t) => {
  const graph = world();
  const before = graph.snapshot()?.gateways.get(key)?.listenersDigest ?? 0n;
  put(graph, gateway('edge', [listener()], { generation: 2 }));
  graph.build(someTime);
  t.is(listenersOf(graph).gateway?.status, 'False');
  graph.acknowledge(key, graph.snapshot()?.gateways.get(key)?.listenersDigest ?? 0n);
  graph.build(someTime);
  graph.acknowledge(key, before);
  graph.build(someTime);
  t.is(listenersOf(graph).gateway?.status, 'True');
});
