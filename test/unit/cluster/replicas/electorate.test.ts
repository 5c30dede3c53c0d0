import test from 'ava';
import { Electorate } from '../../../../src/cluster/replicas/index.ts';
import { type NodeView, nodeKey } from '../../../../src/xds/index.ts';
import { nodeView, someTime } from '../../../support/admin.ts';
import { HandClock } from '../../../support/hand-clock.ts';

const rejection = {
  kind: 'route',
  key: 'httproute/default/bad',
  digest: 7n,
  typeUrl: 't',
  message: 'no',
  since: someTime,
} as const;

/** A fleet whose nodes are what a test says. `held` is what all reject. */
function fleet() {
  const nodes = new Map<string, NodeView>();
  const clock = new HandClock();
  const held = new Set<string>();
  const said: string[] = [];
  const electorate = new Electorate({
    find: (node) => nodes.get(nodeKey(node)),
    hold({ gateway, key }) {
      held.add(`${gateway} ${key}`);
      said.push('held');
    },
    release({ gateway, key }) {
      held.delete(`${gateway} ${key}`);
      said.push('released');
    },
    clock,
    graceMs: 10_000,
  });
  const is = (nodeId: string, given: Partial<NodeView> = {}) => {
    const node = nodeView(nodeId, given);
    nodes.set(nodeKey(node), node);
    electorate.look(node);
  };
  return { clock, held, said, is };
}

const rejecting = { refusals: [rejection], refusalCount: 1 };
const gone = { connected: false, ready: false, votes: false };
const place = 'default/edge httproute/default/bad';

test('what all voters reject is held, and released when one of them takes it', (t) => {
  const { held, is } = fleet();
  is('a');
  is('b');
  is('a', rejecting);
  t.false(held.has(place));
  is('b', rejecting);
  t.true(held.has(place));
  is('b');
  t.false(held.has(place));
});

test('a node without a vote takes nothing from the others and does not hold them up', (t) => {
  const { held, is } = fleet();
  is('a', { ...rejecting, votes: false });
  t.is(held.size, 0);
  is('b', rejecting);
  is('c', { votes: false });
  t.true(held.has(place));
});

test('the rejections of one fleet say nothing of another', (t) => {
  const { held, is } = fleet();
  is('a', rejecting);
  is('a', { ...rejecting, gateway: 'other/gw', cluster: 'other/gw' });
  t.deepEqual([...held].sort(), [place, 'other/gw httproute/default/bad'].sort());
  is('a', { gateway: 'other/gw', cluster: 'other/gw' });
  t.deepEqual([...held], [place]);
});

test('a voter that has just come leaves it undecided until it has applied something', (t) => {
  const { said, is } = fleet();
  is('a', rejecting);
  is('new', { ready: false });
  is('new', { ready: false, ...rejecting });
  is('new', rejecting);
  t.deepEqual(said, ['held'], 'no word changed');
  is('other', { ready: false });
  is('other', { ready: true });
  t.deepEqual(said, ['held', 'released']);
});

test('a rejection goes with the only one who did not share it, and with the last who did', (t) => {
  const { held, is, clock, said } = fleet();
  is('liar');
  is('a', rejecting);
  t.is(held.size, 0);
  is('liar', gone);
  t.true(held.has(place));
  is('a', gone);
  t.true(held.has(place), 'it may be back in a moment');
  is('a', { ready: false });
  clock.move(20_000);
  is('a', rejecting);
  t.deepEqual(said, ['held'], 'and was');
  is('a', gone);
  clock.move(9_999);
  t.true(held.has(place));
  clock.move(1);
  t.is(held.size, 0);
});
