import test from 'ava';
import { outranks } from '../../../../src/cluster/replicas/replica-nodes.ts';
import { nodeView, someTime } from '../../../support/admin.ts';

const at = (seconds: number, connected = true) =>
  nodeView('n', { connected, connectedAt: new Date(someTime.getTime() + seconds * 1000) });

for (const [title, winner, winners, loser, losers] of [
  ['a stream counts more than a later one that has ended', at(0), 'a', at(9, false), 'b'],
  ['the later of two streams counts', at(2), 'a', at(1), 'b'],
  ['of two that began at once, that of the replica with the later identity counts', at(1), 'b', at(1), 'a'],
  ['of two that ended, the later one is shown', at(2, false), 'a', at(1, false), 'b'],
] as const) {
  test(`${title}, on every replica`, (t) => {
    t.true(outranks(winner, winners, loser, losers));
    t.false(outranks(loser, losers, winner, winners));
  });
}
