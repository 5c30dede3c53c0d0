import test from 'ava';
import { Convergence } from '../../../src/app/control-plane/convergence.ts';
import type { NodeEvent, NodeView } from '../../../src/xds/index.ts';

const fleets = new Set(['default/a']);

/** A control plane with these proxies, whose clock stands until it is moved. */
function world(...ids: readonly string[]) {
  const nodes = new Map(ids.map((id) => [id, node(id)]));
  const converged: [id: string, ms: number][] = [];
  let nowMs = 0;
  const convergence = new Convergence({
    now: () => nowMs,
    nodes: () => [...nodes.values()],
    onConverged: (id, ms) => converged.push([id, ms]),
  });
  return {
    converged,
    convergence,
    nodes,
    at(ms: number) {
      nowMs = ms;
    },
    applies(id: string, snapshot: string) {
      const applied = { ...node(id), lastAckVersion: snapshot };
      nodes.set(id, applied);
      convergence.node({ kind: 'applied', node: applied, snapshot });
    },
    leaves: (id: string) => convergence.node({ kind: 'disconnected', node: node(id), reason: 'error' } as NodeEvent),
  };
}

const node = (nodeId: string, cluster = 'default/a'): NodeView =>
  ({ nodeId, cluster, gateway: cluster, ready: true, lastAckVersion: '0' }) as NodeView;

test('a snapshot has converged when the last proxy of its Gateways has applied it', (t) => {
  const { convergence, converged, nodes, at, applies } = world('one', 'two');
  nodes.set('other', node('other', 'default/b'));
  nodes.set('new', { ...node('new'), ready: false });
  convergence.published('1', fleets, 5);
  at(10);
  applies('one', '1');
  t.deepEqual(converged, []);
  at(45);
  applies('two', '1');
  applies('two', '1');
  t.deepEqual(converged, [['1', 40]]);
});

test('a proxy that applied a newer snapshot has the older ones, also one that is not for it', (t) => {
  const { convergence, converged, at, applies } = world('one', 'two');
  convergence.published('1', fleets, 0);
  convergence.published('2', fleets, 10);
  convergence.published('3', new Set(['default/b']), 20);
  at(100);
  applies('one', '3');
  applies('two', 'unknown');
  t.deepEqual(converged, []);
  applies('two', '2');
  t.deepEqual(converged, [
    ['1', 100],
    ['2', 90],
  ]);
});

test('a proxy that leaves is not waited for, but alone it is no convergence', (t) => {
  const { convergence, converged, applies, leaves } = world('one', 'two');
  convergence.published('1', fleets, 0);
  applies('one', '1');
  leaves('two');
  t.deepEqual(converged, [['1', 0]]);
  convergence.published('2', fleets, 0);
  leaves('one');
  leaves('two');
  t.is(converged.length, 1);
});

test('proxies that were faster than the report of the publication count, and without any nothing is known', (t) => {
  const { convergence, converged, nodes, applies } = world('one');
  applies('one', '1');
  convergence.published('1', fleets, 0);
  t.deepEqual(converged, [['1', 0]]);
  nodes.clear();
  convergence.published('2', fleets, 0);
  t.is(converged.length, 1);
});

test('a proxy that never answers keeps no more than the newest snapshots in memory', (t) => {
  const { convergence, converged, at, applies } = world('stuck');
  for (let id = 1; id <= 30; id += 1) convergence.published(String(id), fleets, 0);
  at(7);
  applies('stuck', '30');
  t.is(converged.length, 20);
  t.deepEqual(converged[0], ['11', 7]);
});
