import test from 'ava';
import type { PolicyStatus } from '../../../../src/gateway-api/index.ts';
import type * as ir from '../../../../src/ir/index.ts';
import { weakerAccess } from '../../../../src/offline/access/index.ts';
import { gateway, gatewayClass, listenerSet, ownObject } from '../../../support/objects.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

/** One level of a table has room for 256 policies: namespaces share it, and what has none closes its own listeners. */

const count = 258;
const names = Array.from({ length: count }, (_, index) => `s${index}`);
const policy = (name: string, created: string, spec: object = { clientIPs: { allow: ['10.0.0.0/8'] } }) =>
  ownObject(
    'AccessPolicy',
    name,
    { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'ListenerSet', name }], ...spec },
    { created },
  );
/** The first are the youngest. */
const bornAt = (index: number) => new Date(Date.UTC(2026, 0, 1) - index * 1000).toISOString();

function world() {
  const graph = newGraph();
  put(
    graph,
    gatewayClass(),
    gateway('edge', [{ name: 'http' }] as never, { allowedListeners: { namespaces: { from: 'Same' } } }),
    ...names.map((name) => listenerSet(name, [{ name: 'own', hostname: `*.${name}.test` }] as never)),
  );
  graph.build(someTime);
  const demands = () => graph.snapshot()?.gateways.get('default/edge')?.tables.get('http/80')?.access?.demands ?? [];
  const closedHosts = () => demands().flatMap(({ closed, hostnames = [] }) => (closed ? hostnames : []));
  const conditionOf = (name: string) => {
    const status = graph.statusOf('AccessPolicy', `default/${name}`) as PolicyStatus | undefined;
    return status?.ancestors[0]?.conditions.find(({ type }) => type === 'Accepted');
  };
  const build = (...objects: Parameters<typeof put>[1][]) => {
    put(graph, ...objects);
    const { changes, snapshot } = graph.build(someTime);
    return weakerAccess(changes as readonly ir.Change[], snapshot).map(({ message }) => message);
  };
  return { graph, demands, closedHosts, conditionOf, build };
}

test('of too many policies the youngest close their own listeners and no others, and say so', (t) => {
  const { graph, demands, closedHosts, conditionOf, build } = world();
  t.deepEqual(build(...names.map((name, index) => policy(name, bornAt(index)))), []);
  t.deepEqual(closedHosts(), ['*.s0.test', '*.s1.test']);
  t.is(demands().length, 257, 'the closed ones are one demand');
  t.like(
    demands().find(({ closed }) => closed),
    { closed: ['clientIPs'], overridable: [] },
  );
  t.like(conditionOf('s0'), { status: 'False', reason: 'Invalid' });
  t.regex(
    conditionOf('s1')?.message ?? '',
    /^port 80 has room .* at listener own of ListenerSet default\/s1.*answered 500/,
  );
  t.is(conditionOf('s2')?.status, 'True');

  const { kind, namespace } = { kind: 'ListenerSet' as const, namespace: 'default' };
  const holdingsOf = (name: string) =>
    graph.accessAt({ gateway: 'default/edge', listener: { owner: { kind, namespace, name }, name: 'own' } });
  t.like(holdingsOf('s0'), [{ policy: 'default/s0', state: 'closed' }]);
  t.like(holdingsOf('s2'), [{ policy: 'default/s2', state: 'inForce' }]);

  t.deepEqual(build(policy('s1', bornAt(1), { csrf: {} })), [], 'who is closed may change');
  t.deepEqual(closedHosts().sort(), ['*.s0.test', '*.s1.test']);
  graph.remove('AccessPolicy', 'default/s2');
  t.deepEqual(build(), ['Gateway default/edge no longer demands an allowed address']);
  t.deepEqual(closedHosts(), ['*.s0.test'], 'the next one has room');
  t.is(conditionOf('s1')?.status, 'True');
  t.is(conditionOf('s0')?.status, 'False');
  graph.remove('AccessPolicy', 'default/s3');
  build();
  t.deepEqual(closedHosts(), []);
  t.is(conditionOf('s0')?.status, 'True');
  t.deepEqual(build(policy('s3', '2026-02-01T00:00:00Z')), [], 'a younger one takes no room of others');
  t.deepEqual(closedHosts(), ['*.s3.test']);
});

test('policies of several levels have room of their own, and one for all needs room once', (t) => {
  const { closedHosts, build } = world();
  build(
    ...names.slice(0, 256).map((name, index) => policy(name, bornAt(index))),
    ownObject('AccessPolicy', 'all', {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
      csrf: {},
    }),
    ownObject('AccessPolicy', 'one', {
      targetRefs: [
        { group: 'gateway.networking.k8s.io', kind: 'ListenerSet', name: 's256', sectionName: 'own' },
        { group: 'gateway.networking.k8s.io', kind: 'ListenerSet', name: 's257', sectionName: 'own' },
      ],
      csrf: {},
    }),
  );
  t.deepEqual(closedHosts(), []);
});

test('namespaces share the room evenly, and each gives its own to its oldest policies', (t) => {
  const graph = newGraph();
  const spaces = { bulk: 300, team: 3, late: 2 };
  const targetOf = (name: string) => [{ group: 'gateway.networking.k8s.io', kind: 'ListenerSet', name }];
  const objectsOf = (namespace: string, number: number) =>
    Array.from({ length: number }, (_, index) => {
      const name = `${namespace}${index}`;
      const hostname = `*.${name}.test`;
      // Later namespaces have younger policies.
      const created = new Date(Date.UTC(2026, Object.keys(spaces).indexOf(namespace)) + index * 1000).toISOString();
      return [
        listenerSet(name, [{ name: 'own', hostname }] as never, {
          namespace,
          parent: { name: 'edge', namespace: 'default' },
        }),
        ownObject('AccessPolicy', name, { targetRefs: targetOf(name), csrf: {} }, { namespace, created }),
      ];
    }).flat();
  put(
    graph,
    gatewayClass(),
    gateway('edge', [{ name: 'http' }] as never, { allowedListeners: { namespaces: { from: 'All' } } }),
    ...Object.entries(spaces).flatMap(([namespace, number]) => objectsOf(namespace, number)),
  );
  graph.build(someTime);
  const closed = () =>
    (graph.snapshot()?.gateways.get('default/edge')?.tables.get('http/80')?.access?.demands ?? []).flatMap(
      ({ closed: parts, hostnames = [] }) => (parts ? hostnames : []),
    );
  const from = (first: number) => Array.from({ length: 300 - first }, (_, at) => `*.bulk${first + at}.test`).sort();
  t.deepEqual(closed().toSorted(), from(251));
  graph.remove('AccessPolicy', 'team/team0');
  graph.build(someTime);
  t.deepEqual(closed().toSorted(), from(252));
});
