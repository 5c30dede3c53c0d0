import test from 'ava';
import { guardsName, guardsSlot } from '../../../src/contracts/index.ts';
import type { ChainDemand } from '../../../src/translate/index.ts';
import { type HeldChain, unknownChain } from '../../../src/xds/session/held-chain.ts';
import { TableDemands } from '../../../src/xds/session/table-demands.ts';

const [auth, base, guards] = ['auth/http/80', 'base/http/80', guardsName('http/80')];
const [scope, otherScope] = ['http/80|a.example', 'http/81|a.example'];
const leadsThere = new Map([[guardsSlot, guards]]);

const demandsOf = (...digests: string[]): ReadonlyMap<string, ChainDemand> =>
  new Map(digests.map((digest) => [digest, { digest, place: digest, guards: { demands: [] } }]));

const chainWith = (demands: ReadonlyMap<string, ChainDemand>, more: Partial<HeldChain> = {}): HeldChain => ({
  ...unknownChain,
  slots: new Set(),
  demands,
  ...more,
});

test('table demands: no scope of a table changes while one of its chains lacks a demand', (t) => {
  const held = new Map([[auth, chainWith(demandsOf('a'))]]);
  const demands = new TableDemands(held);
  demands.want(auth, { own: demandsOf('a', 'b') });
  demands.compare(auth);
  t.false(demands.allowsChange(scope));
  t.true(demands.allowsChange(otherScope));
  held.set(auth, chainWith(demandsOf('a', 'b', 'former')));
  demands.compare(auth);
  t.true(demands.allowsChange(scope));
});

test('table demands: a client without the chain lacks nothing, nor one whose table is gone', (t) => {
  const held = new Map<string, HeldChain>();
  const demands = new TableDemands(held);
  demands.want(auth, { own: demandsOf('a') });
  demands.compare(auth);
  t.true(demands.allowsChange(scope));
  held.set(auth, chainWith(demandsOf()));
  demands.compare(auth);
  t.false(demands.allowsChange(scope));
  demands.unwanted(auth);
  t.true(demands.allowsChange(scope));
});

test('table demands: what is beside a chain counts for it only where the chain leads there', (t) => {
  const held = new Map([[auth, chainWith(demandsOf())]]);
  const demands = new TableDemands(held);
  demands.want(guards, { own: demandsOf('a') });
  demands.want(auth, { own: demandsOf(), listsAt: leadsThere });
  held.set(guards, chainWith(demandsOf('a')));
  demands.compare(guards);
  t.false(demands.allowsChange(scope));
  held.set(auth, chainWith(demandsOf(), { listsAt: leadsThere }));
  demands.compare(auth);
  t.true(demands.allowsChange(scope));
});

test('table demands: each chain takes over what the client has in the others of its table', (t) => {
  const held = new Map([
    [auth, chainWith(demandsOf('a'))],
    [base, chainWith(demandsOf('b'), { listsAt: leadsThere })],
    [guards, chainWith(demandsOf('c'))],
    ['auth/http/81', chainWith(demandsOf('d'))],
  ]);
  const demands = new TableDemands(held);
  t.deepEqual([...demands.at(auth).keys()].sort(), ['a', 'b', 'c']);
  t.deepEqual([...demands.at(guards).keys()].sort(), ['a', 'b', 'c']);
  t.deepEqual([...demands.at('traffic/http/80').keys()], [], 'it demands nothing');
});
