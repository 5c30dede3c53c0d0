import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { loginKey } from '../../../src/key-sets/index.ts';
import { clusterLoginKey, fileLoginKey, LoginKeys, type LoginSecret } from '../../../src/keys/index.ts';
import { KubeError } from '../../../src/kube/index.ts';
import { HandClock } from '../../support/hand-clock.ts';

const secretOf = (key: string): LoginSecret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'own', name: loginKey.name },
  data: { [loginKey.entry]: key },
});

/** Keys over a store in memory that fails as the test says. */
function world({ isLeader = true } = {}) {
  const clock = new HandClock();
  const state = {
    isLeader,
    stored: undefined as string | undefined,
    fault: undefined as Error | undefined,
    made: 0,
    looked: 0,
  };
  const [seen, faults]: [string[], string[]] = [[], []];
  const keys = new LoginKeys({
    store: {
      async find() {
        state.looked += 1;
        if (state.fault) throw state.fault;
        return state.stored === undefined ? undefined : secretOf(state.stored);
      },
      async create() {
        state.made += 1;
        state.stored = `key ${state.made}`;
      },
    },
    isLeader: () => state.isLeader,
    clock,
    random: () => 1,
    onKey: ({ data }) => seen.push(data?.[loginKey.entry] ?? ''),
    onFault: (error) => faults.push(String(error)),
  });
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  const move = async (ms: number) => {
    clock.move(ms);
    await settled();
  };
  return { state, keys, seen, faults, settled, move };
}

test('a leader makes the key when the first policy wants logins, and not before', async (t) => {
  const { state, keys, seen, settled } = world();
  keys.start();
  await settled();
  t.is(state.looked, 0);
  keys.want('a/p', false);
  keys.want('a/p', true);
  keys.want('b/p', true);
  await settled();
  t.deepEqual(seen, ['key 1']);
  t.is(state.made, 1);
});

test('a key that a file keeps is known before anything is built, and is not reported twice', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-login-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const store = fileLoginKey(join(directory, 'login-key'), 'own');
  const reported: LoginSecret[] = [];
  const keys = new LoginKeys({
    store,
    isLeader: () => true,
    clock: new HandClock(),
    onKey: (secret) => reported.push(secret),
    onFault: (error) => t.fail(String(error)),
  });
  t.teardown(() => keys.stop());
  keys.load();
  t.is(reported.length, 0, 'there is none yet');
  await store.create();
  keys.load();
  t.is(reported.length, 1);
  keys.want('a/p', true);
  keys.start();
  await store.find();
  t.deepEqual(reported, [await store.find()]);
});

test('another replica waits for the key, and makes one when it leads', async (t) => {
  const { state, keys, seen, settled, move } = world({ isLeader: false });
  keys.want('a/p', true);
  keys.start();
  await settled();
  t.deepEqual([seen, state.made], [[], 0]);
  state.stored = 'of the leader';
  await move(1000);
  t.deepEqual(seen, ['of the leader']);
  state.stored = undefined;
  state.isLeader = true;
  keys.look();
  await settled();
  t.deepEqual(seen, ['of the leader', 'key 1']);
});

test('a key that is exchanged is seen within minutes, and the same one is not reported twice', async (t) => {
  const { state, keys, seen, settled, move } = world();
  keys.want('a/p', true);
  keys.start();
  await settled();
  await move(300_000);
  t.deepEqual(seen, ['key 1']);
  state.stored = 'another';
  await move(300_000);
  t.deepEqual(seen, ['key 1', 'another']);
  keys.want('a/p', false);
  const { looked } = state;
  await move(300_000);
  t.is(state.looked, looked, 'no policy wants it any more');
  keys.stop();
});

test('a store that fails is reported once, and asked again', async (t) => {
  const { state, keys, seen, faults, settled, move } = world();
  state.fault = new Error('forbidden');
  keys.want('a/p', true);
  keys.start();
  await settled();
  await move(1000);
  await move(2000);
  t.deepEqual(faults, ['Error: forbidden']);
  state.fault = undefined;
  await move(60_000);
  t.deepEqual(seen, ['key 1']);
});

test('a key of a file is made once, for its user alone', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-login-key-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'state', 'login-key');
  const store = fileLoginKey(path, 'own');
  t.is(await store.find(), undefined);
  await Promise.all([store.create(), store.create()]);
  const text = readFileSync(path, 'utf8').trim();
  t.is(Buffer.from(text, 'base64').length, loginKey.leastBytes);
  t.is(statSync(path).mode & 0o777, 0o600);
  t.is((await store.find())?.data?.[loginKey.entry], text);
  writeFileSync(path, 'changed\n');
  t.is((await store.find())?.data?.[loginKey.entry], 'changed');
  await t.throwsAsync(fileLoginKey(directory, 'own').find(), { code: 'EISDIR' });
});

test('of a Secret no more is read than the key, and one that came first is kept', async (t) => {
  const created: object[] = [];
  const stored = { ...secretOf('key'), data: { [loginKey.entry]: 'key', other: 'x' } };
  const store = clusterLoginKey(
    {
      find: async () => stored as never,
      create: async (_, object) => {
        created.push(object);
        throw new KubeError({ code: 'already-exists', message: 'it exists' });
      },
    },
    'own',
  );
  t.deepEqual((await store.find())?.data, { [loginKey.entry]: 'key' });
  await t.notThrowsAsync(store.create());
  t.like(created[0], { metadata: { namespace: 'own', name: loginKey.name } });
});
