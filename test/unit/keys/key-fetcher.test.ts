import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { keysName, type RemoteKeys, readKept } from '../../../src/key-sets/index.ts';
import { FetchFault, type FetchResult, KeyFetcher, type KeysConfigMap } from '../../../src/keys/index.ts';
import { HandClock } from '../../support/hand-clock.ts';

const { kty, crv, x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
/** One key of this name. */
const setOf = (kid: string): string => JSON.stringify({ keys: [{ kty, crv, x, kid }] });

const minute = 60_000;
const at = (url: string, ...authorities: string[]): RemoteKeys => ({ place: { kind: 'url', url }, authorities });

/** A fetcher over a store in memory, whose servers answer as the test says. */
function world({ isLeader = true } = {}) {
  const clock = new HandClock();
  const store = new Map<string, KeysConfigMap>();
  const fetched: string[] = [];
  const results: FetchResult[] = [];
  const state = {
    isLeader,
    trust: '',
    answer: (): Promise<{ keys: string; freshMs: number }> =>
      Promise.resolve({ keys: setOf('1'), freshMs: 5 * minute }),
    save: (_: KeysConfigMap): void => {},
  };
  const start = new Date('2026-01-01T00:00:00Z').getTime();
  const make = () =>
    new KeyFetcher({
      namespace: 'own',
      find: (name) => store.get(name),
      names: () => [...store.keys()],
      fetch: ({ place }) => {
        fetched.push(place.kind === 'url' ? place.url : place.kind);
        return state.answer();
      },
      trust: () => state.trust,
      keeper: {
        async save(object) {
          state.save(object);
          store.set(object.metadata.name, object);
        },
        async remove(name) {
          store.delete(name);
        },
      },
      isLeader: () => state.isLeader,
      clock,
      now: () => new Date(start + clock.now()),
      random: () => 1,
      onResult: (result) => results.push(result),
    });
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  const move = async (ms: number) => {
    clock.move(ms);
    await settled();
  };
  const kept = (remote: RemoteKeys) => readKept(store.get(keysName(remote)));
  return { clock, store, fetched, results, state, make, settled, move, kept };
}

test('a set is fetched once for all policies, and again when its time is over', async (t) => {
  const { make, fetched, move, settled, kept, state } = world();
  const fetcher = make();
  const a = at('https://a/keys');
  fetcher.want('one/p', [a, at('https://a/keys', 'one/ca')]);
  fetcher.want('two/p', [a]);
  t.deepEqual(fetched, [], 'nothing before all that exists is known');
  fetcher.start();
  await settled();
  t.deepEqual(fetched, ['https://a/keys', 'https://a/keys'], 'once for each set of authorities');
  t.is(kept(a)?.fetchedAt, '2026-01-01T00:00:00.000Z');
  await move(5 * minute - 1);
  t.is(fetched.length, 2);
  state.answer = () => Promise.resolve({ keys: setOf('2'), freshMs: 60 * minute });
  await move(1);
  t.is(fetched.length, 4);
  t.is(kept(a)?.keys, setOf('2'));
  await move(59 * minute);
  t.is(fetched.length, 4, 'as long as the server says');
  t.is(fetcher.oldestAge(), 59 * 60);
});

test('a server that fails is asked again after growing waits, and the last keys stay', async (t) => {
  const { make, fetched, move, settled, kept, state, results } = world();
  const fetcher = make();
  const a = at('https://a/keys');
  fetcher.want('one/p', [a]);
  fetcher.start();
  await settled();
  state.answer = () => Promise.reject(new FetchFault('it answers 500'));
  await move(5 * minute);
  t.deepEqual(kept(a), {
    keys: setOf('1'),
    fetchedAt: '2026-01-01T00:00:00.000Z',
    failure: { reason: 'KeysNotFetched', message: 'it answers 500', since: '2026-01-01T00:05:00.000Z' },
  });
  const before = fetched.length;
  await move(4000);
  t.is(fetched.length, before + 1);
  await move(8000);
  t.is(fetched.length, before + 2);
  t.deepEqual(
    results.map(({ isNews, fault }) => `${fault?.message ?? 'ok'} ${isNews}`),
    ['ok true', 'it answers 500 true', 'it answers 500 false', 'it answers 500 false'],
  );
  state.answer = () => Promise.resolve({ keys: setOf('1'), freshMs: 5 * minute });
  await move(16_000);
  t.is(kept(a)?.failure, undefined);
  t.true(results.at(-1)?.isNews);
});

test('of several policies the one that wants a set for the shortest time decides', async (t) => {
  const { make, fetched, move, settled } = world();
  const fetcher = make();
  const a = at('https://a/keys');
  fetcher.want('one/p', [{ ...a, freshMs: 60 * minute }]);
  fetcher.start();
  await settled();
  await move(59 * minute);
  t.is(fetched.length, 1, 'longer than its server says');
  fetcher.want('two/p', [
    { ...a, freshMs: 60 * minute },
    { ...a, freshMs: minute },
  ]);
  await settled();
  t.is(fetched.length, 2, 'it is older than the second policy takes');
  await move(minute);
  t.is(fetched.length, 3);
  fetcher.want('two/p', []);
  await move(minute);
  t.is(fetched.length, 4, 'the wait that had begun');
  await move(59 * minute);
  t.is(fetched.length, 4);
  fetcher.want('three/p', [a]);
  await move(minute);
  t.is(fetched.length, 5);
  await move(5 * minute);
  t.is(fetched.length, 6, 'as the server says, for a policy that says nothing');
});

test('a policy that wants a set sooner shortens no wait after a failure', async (t) => {
  const { make, fetched, move, settled, state } = world();
  const fetcher = make();
  const a = at('https://a/keys');
  state.answer = () => Promise.reject(new FetchFault('it answers 500'));
  fetcher.want('one/p', [a]);
  fetcher.start();
  await settled();
  for (const freshMs of [3 * minute, 2 * minute, minute]) fetcher.want('two/p', [{ ...a, freshMs }]);
  await settled();
  t.is(fetched.length, 1);
  await move(4000);
  t.is(fetched.length, 2);
});

test('only the leader fetches, and a new one goes on where the last one was', async (t) => {
  const first = world();
  const a = at('https://a/keys');
  const leader = first.make();
  leader.want('one/p', [a]);
  leader.start();
  await first.settled();
  leader.stop();
  first.state.isLeader = false;
  const next = first.make();
  next.want('one/p', [a]);
  next.start();
  await first.move(20 * minute);
  t.is(first.fetched.length, 1, 'this one does not lead');
  first.state.isLeader = true;
  next.lead();
  await first.settled();
  t.is(first.fetched.length, 2, 'the kept ones are old');
  const third = first.make();
  next.stop();
  third.want('one/p', [a]);
  third.start();
  await first.move(4 * minute);
  t.is(first.fetched.length, 2, 'the kept ones are fresh');
  await first.move(minute);
  t.is(first.fetched.length, 3);
});

test('a new leader fetches at once what was fetched by other authorities than are trusted now', async (t) => {
  const { make, fetched, move, settled, kept, state } = world();
  const a = at('https://a/keys', 'one/ca');
  state.trust = 'before';
  const leader = make();
  leader.want('one/p', [a]);
  leader.start();
  await settled();
  t.is(kept(a)?.trust, 'before');
  const next = make();
  next.want('one/p', [a]);
  next.start();
  leader.stop();
  state.isLeader = false;
  state.trust = 'after';
  next.retry(() => true);
  await move(1000);
  t.is(fetched.length, 1, 'no replica leads');
  state.isLeader = true;
  next.lead();
  await settled();
  t.is(fetched.length, 2);
  t.is(kept(a)?.trust, 'after');
  next.lead();
  await settled();
  t.is(fetched.length, 2, 'that is up to date');
});

test('authorities that change while keys are fetched have them fetched once more', async (t) => {
  const { make, fetched, settled, kept, state } = world();
  const a = at('https://a/keys', 'one/ca');
  const gate = Promise.withResolvers<{ keys: string; freshMs: number }>();
  state.trust = 'before';
  state.answer = () => gate.promise;
  const fetcher = make();
  fetcher.want('one/p', [a]);
  fetcher.start();
  await settled();
  state.trust = 'after';
  fetcher.retry(() => true);
  t.is(fetched.length, 1, 'it is under way');
  state.answer = () => Promise.resolve({ keys: setOf('2'), freshMs: 5 * minute });
  gate.resolve({ keys: setOf('1'), freshMs: 5 * minute });
  await settled();
  t.is(fetched.length, 2);
  t.is(kept(a)?.keys, setOf('2'));
  t.is(kept(a)?.trust, 'after');
});

test('what no policy wants is not fetched, and forgotten after ten minutes', async (t) => {
  const { make, fetched, move, settled, store } = world();
  const fetcher = make();
  const a = at('https://a/keys');
  fetcher.want('one/p', [a]);
  fetcher.start();
  await settled();
  fetcher.want('one/p', []);
  await move(9 * minute);
  t.is(store.size, 1);
  await move(minute);
  t.is(store.size, 0);
  t.is(fetched.length, 1);
});

test('what was kept for policies that went while no replica led is forgotten as well, and no other', async (t) => {
  const { make, state, move, settled, store } = world();
  const first = make();
  first.want('one/p', [at('https://a/keys'), at('https://b/keys')]);
  first.start();
  await settled();
  first.stop();
  const second = make();
  second.want('one/p', [at('https://a/keys')]);
  second.start();
  await move(9 * minute);
  t.is(store.size, 2);
  await move(2 * minute);
  t.deepEqual([...store.keys()], [keysName(at('https://a/keys'))]);
  t.true(state.isLeader);
});

test('a namespace has at most 64 sets fetched, and takes none from others', async (t) => {
  const { make, fetched, settled, results } = world();
  const fetcher = make();
  for (let index = 0; index < 100; index += 1) fetcher.want(`many/p${index}`, [at(`https://a/${index}`)]);
  fetcher.want('few/p', [at('https://b/')]);
  fetcher.start();
  for (let turn = 0; turn < 40; turn += 1) await settled();
  t.is(fetched.length, 65);
  t.true(fetched.includes('https://b/'));
  t.is(results.filter(({ fault }) => /64 other sets/.test(fault?.message ?? '')).length, 36);
});

test('what cannot be kept is fetched again', async (t) => {
  const { make, fetched, move, settled, state, kept, results } = world();
  const fetcher = make();
  const a = at('https://a/keys');
  fetcher.want('one/p', [a]);
  state.save = () => {
    throw new Error('the API server is away');
  };
  fetcher.start();
  await settled();
  t.regex(String(results[0]?.unkept), /away/);
  state.save = () => {};
  await move(4000);
  t.is(fetched.length, 2);
  t.truthy(kept(a)?.keys);
});
