import test from 'ava';
import { Holds } from '../../../../../src/addons/ai/budgets/holds.ts';

const amount = { tokens: 10, cost: 0 };
const ofTeam = { policy: 'default/team', key: 'red' };
const ofClient = (key: string) => ({ policy: 'default/clients', key });

test('a request that counts for two policies ends for both, also where one of them has forgotten its key', (t) => {
  const holds = new Holds(1);
  holds.add({ ...ofTeam, ...amount, request: 'first' }, 0);
  holds.add({ ...ofClient('one'), ...amount, request: 'first' }, 0);
  // A client with another key: one key is kept.
  holds.add({ ...ofClient('two'), ...amount, request: 'second' }, 0);
  t.is(holds.of(ofClient('one'), 0).requests, 0);
  t.is(holds.of(ofTeam, 0).requests, 1);
  holds.ended('first', 0);
  t.is(holds.of(ofTeam, 60_000).requests, 0);
});
