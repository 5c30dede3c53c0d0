import test from 'ava';
import type { PolicyStatus } from '../../../../src/gateway-api/index.ts';
import { gateway, gatewayClass, listenerSet, ownObject, service } from '../../../support/objects.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

/** Proxies have a place for a part that makes requests wait at each level of a table, and none for one more that moves. */

const group = 'gateway.networking.k8s.io';
const forwardAuth = { backendRef: { name: 'auth', port: 80 }, http: { path: '/verify' } };
const policy = (name: string, target: object, spec: object) =>
  ownObject('AccessPolicy', name, { targetRefs: [{ group, ...target }], ...spec });
const policiesWith = (spec: object) => [
  policy('g', { kind: 'Gateway', name: 'edge' }, spec),
  policy('s', { kind: 'ListenerSet', name: 'more' }, spec),
  policy('l', { kind: 'Gateway', name: 'edge', sectionName: 'http' }, spec),
];
const policies = policiesWith({ forwardAuth });

function world(setPort: number) {
  const graph = newGraph();
  put(
    graph,
    gatewayClass(),
    gateway('edge', [{ name: 'http' }] as never, { allowedListeners: { namespaces: { from: 'Same' } } }),
    listenerSet('more', [{ name: 'own', hostname: 'more.test', port: setPort }] as never),
    service('auth'),
  );
  const acceptedOf = (name: string) => {
    const status = graph.statusOf('AccessPolicy', `default/${name}`) as PolicyStatus | undefined;
    return status?.ancestors[0]?.conditions.find(({ type }) => type === 'Accepted');
  };
  return {
    graph,
    acceptedOf,
    reasons: () => ['g', 's', 'l'].map((name) => acceptedOf(name)?.reason),
    build: (...objects: Parameters<typeof put>[1][]) => {
      put(graph, ...objects);
      return graph.build(someTime);
    },
  };
}

test('where all levels of one table make requests wait, their policies say that there is no room for one more', (t) => {
  const { build, reasons, acceptedOf, graph } = world(80);
  build(...policies.slice(0, 2));
  t.deepEqual(reasons(), ['Accepted', 'Accepted', undefined]);
  build(...policies.slice(2));
  t.deepEqual(reasons(), ['NoRoomToMove', 'NoRoomToMove', 'NoRoomToMove'], 'each, also those of before');
  t.is(acceptedOf('g')?.status, 'True', 'they are in force');
  t.regex(acceptedOf('s')?.message ?? '', /^Gateways, ListenerSets and listeners at port 80 all have forwardAuth, /);
  t.regex(acceptedOf('s')?.message ?? '', /\(listener own of ListenerSet default\/more\)/);
  t.regex(acceptedOf('g')?.message ?? '', /Remove forwardAuth from one of these three levels before/);
  const holdings = graph.accessAt({ gateway: 'default/edge' });
  t.deepEqual(
    holdings.map(({ part, state, faults }) => [part, state, faults.map(({ reason }) => reason)]),
    [['forwardAuth', 'inForce', ['NoRoomToMove']]],
  );
  build(policy('s', { kind: 'ListenerSet', name: 'more' }, { clientIPs: { deny: ['10.0.0.0/8'] } }));
  t.deepEqual(reasons(), ['Accepted', 'Accepted', 'Accepted'], 'one level asks no more');
});

test('levels of different tables have their own places, and parts for which nothing waits need none', (t) => {
  const apart = world(81);
  apart.build(...policies);
  t.deepEqual(apart.reasons(), ['Accepted', 'Accepted', 'Accepted']);
  const quick = world(80);
  quick.build(...policiesWith({ csrf: {} }));
  t.deepEqual(quick.reasons(), ['Accepted', 'Accepted', 'Accepted']);
});
