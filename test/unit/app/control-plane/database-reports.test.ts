import test from 'ava';
import { DatabaseReports } from '../../../../src/app/control-plane/database-reports.ts';
import type { DatabaseTrouble } from '../../../../src/graph/index.ts';
import { type NodeView, nodeKey } from '../../../../src/xds/index.ts';
import { nodeView } from '../../../support/admin.ts';

function world() {
  const nodes = new Map<string, NodeView>();
  const said: (readonly [string, readonly DatabaseTrouble[]])[] = [];
  const reports = new DatabaseReports({
    find: (node) => nodes.get(nodeKey(node)),
    onChange: (fleet, troubles) => said.push([fleet, troubles]),
  });
  const is = (nodeId: string, given: Partial<NodeView> = {}) => {
    const node = nodeView(nodeId, given);
    nodes.set(nodeKey(node), node);
    reports.look(node);
  };
  const forget = (nodeId: string) => {
    const node = nodeView(nodeId);
    nodes.delete(nodeKey(node));
    reports.look(node);
  };
  return { said, is, forget };
}

const broken = { databaseFaults: [{ database: 'location', message: 'broken' }] } as const;

test('one proxy is enough, and the first by name has the word', (t) => {
  const { said, is } = world();
  is('a');
  t.deepEqual(said, []);
  is('c', broken);
  is('b', broken);
  t.deepEqual(said, [
    ['default/edge', [{ database: 'location', message: 'broken', nodeId: 'c', proxies: 1 }]],
    ['default/edge', [{ database: 'location', message: 'broken', nodeId: 'b', proxies: 2 }]],
  ]);
});

test('what is said again changes nothing, and what is corrected is over', (t) => {
  const { said, is } = world();
  is('a', broken);
  is('a', broken);
  t.is(said.length, 1);
  is('a');
  t.deepEqual(said.at(-1), ['default/edge', []]);
});

test('a proxy whose stream breaks may still serve so; one that is gone does not', (t) => {
  const { said, is, forget } = world();
  is('a', broken);
  is('a', { ...broken, connected: false, ready: false });
  t.is(said.length, 1);
  forget('a');
  t.deepEqual(said.at(-1), ['default/edge', []]);
});
