import { Writable } from 'node:stream';
import test from 'ava';
import type * as ir from '../../src/ir/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { eventually } from '../support/agent-world.ts';
import { send } from '../support/http.ts';
import { thorough } from '../support/repetitions.ts';
import { SessionClient, SessionWorld } from '../support/session-world.ts';

// One Envoy at a time where that will do: each test starts its own.
const byCookie: ir.Session = { kind: 'cookie', scope: 'web', name: 's', path: '/', permanent: false, secure: false };
const byHeader: ir.Session = { kind: 'header', scope: 'web', name: 'x-session' };

const distinct = (names: readonly string[]) => [...new Set(names)].sort();

/** Clients with a session each, enough for every endpoint to have some. */
async function clients(world: SessionWorld, count: number, by: 'cookie' | 'header' = 'cookie') {
  const all = Array.from({ length: count }, () => new SessionClient(world, by));
  const pinned: string[] = [];
  for (const client of all) pinned.push(await client.ask());
  return { all, pinned };
}

test.serial('a client stays with its endpoint by cookie, and tokens that are none are ignored', async (t) => {
  const world = new SessionWorld(t, byCookie);
  await world.add('a', 'b', 'c');
  await world.start({ sessionKeyFiles: { current: world.keyFile() } });

  const { all, pinned } = await clients(world, 9);
  t.deepEqual(distinct(pinned), ['a', 'b', 'c']);
  for (const [index, client] of all.entries())
    t.deepEqual(distinct(await client.askOften(10)), [pinned[index] as string]);
  t.true(
    all.every(({ given }) => given.length === 1),
    'a client that has a token gets no other',
  );
  const [cookie = ''] = (all[0] as SessionClient).given;
  t.regex(cookie, /^s=[\w-]{22}; Path=\/; HttpOnly; SameSite=Strict$/);
  t.false(cookie.includes(Buffer.from('127.0.0.1').toString('base64url').slice(0, 8)));

  const { token = '' } = all[0] as SessionClient;
  const flipped = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
  const address = Buffer.from('127.0.0.1:80').toString('base64');
  for (const forged of [
    flipped,
    token.slice(0, 21),
    `${token}A`,
    'A'.repeat(22),
    address,
    '',
    '"%00;',
    'x'.repeat(4000),
  ]) {
    const answers: string[] = [];
    for (let sent = 0; sent < 9; sent++) {
      const client = new SessionClient(world);
      client.token = forged;
      answers.push(await client.ask());
      t.is(client.given.length, 1, `${forged} gets a token`);
      t.not(client.token, forged);
    }
    t.deepEqual(distinct(answers), ['a', 'b', 'c'], `${forged} is balanced freely`);
  }
  const several = await send(world.replicas[0]?.port ?? 0, {
    host: 'h.test',
    headers: { cookie: `other=1; s=${flipped}; s=${token}; t=2` },
  });
  t.is(several.body, pinned[0] as string, 'the good one of several cookies counts');
});

test.serial('a client stays with its endpoint by header', async (t) => {
  const world = new SessionWorld(t, byHeader);
  await world.add('a', 'b', 'c');
  await world.start();
  const { all, pinned } = await clients(world, 9, 'header');
  t.deepEqual(distinct(pinned), ['a', 'b', 'c']);
  for (const [index, client] of all.entries()) {
    t.deepEqual(distinct(await client.askOften(5)), [pinned[index] as string]);
    t.is(client.given.length, 1);
    t.regex(client.token ?? '', /^[\w-]{22}$/);
  }
});

thorough(test.serial)(
  'clients of an endpoint that goes move and get a new token; others stay, whatever comes and goes',
  async (t) => {
    const world = new SessionWorld(t, byCookie);
    await world.add('a', 'b', 'c');
    await world.start();
    const { all, pinned } = await clients(world, 9);
    const stays = async () => {
      for (const [index, client] of all.entries())
        if (pinned[index] !== 'a') t.is(await client.ask(), pinned[index] as string);
    };

    // Kubernetes has not reported its end yet: connections are refused, and requests go elsewhere.
    await world.kill('a');
    const mine = all.filter((_, index) => pinned[index] === 'a');
    t.true(mine.length > 0);
    const moved: string[] = [];
    for (const client of mine) {
      moved.push(await client.ask());
      t.is(client.given.length, 2);
      t.deepEqual(distinct(await client.askOften(3)), [moved.at(-1) as string]);
    }
    t.false(moved.includes('a'));
    await stays();

    await world.withdraw('a');
    await stays();
    await world.add('d', 'e', 'f', 'g');
    await stays();
    await world.withdraw('d');
    await stays();
    const { pinned: later } = await clients(world, 20);
    t.deepEqual(distinct(later), ['b', 'c', 'e', 'f', 'g'], 'new endpoints get new sessions');

    // On its way out, an endpoint keeps the sessions that it has and gets no new ones.
    await world.publish(['b']);
    await stays();
    const { pinned: last } = await clients(world, 12);
    t.false(last.includes('b'));
    await world.withdraw('b');
    const [index] = [...pinned.entries()].find(([, name]) => name === 'b') as [number, string];
    t.not(await (all[index] as SessionClient).ask(), 'b');
  },
);

thorough(test.serial)(
  'replicas with one key agree, and so does one that starts again; with another key they do not',
  async (t) => {
    const world = new SessionWorld(t, byCookie);
    const current = world.keyFile();
    await world.add('a', 'b', 'c');
    await world.start({ sessionKeyFiles: { current } });
    await world.start({ sessionKeyFiles: { current } });
    const { all, pinned } = await clients(world, 6);
    for (const [index, client] of all.entries())
      t.deepEqual(distinct(await client.askOften(5, 1)), [pinned[index] as string]);

    await world.restart({ sessionKeyFiles: { current } });
    for (const [index, client] of all.entries()) t.is(await client.ask(), pinned[index] as string);
    t.true(all.every(({ given }) => given.length === 1));

    await world.restart({ sessionKeyFiles: { current: world.keyFile('another') } });
    for (const client of all) await client.ask();
    t.true(
      all.every(({ given }) => given.length === 2),
      'tokens of another key are none',
    );
  },
);

thorough(test.serial)('a new key takes the former one’s tokens and gives its own in their place', async (t) => {
  const world = new SessionWorld(t, byCookie);
  const former = 'the first key, which is long enough to be one';
  const current = world.keyFile('key', former);
  await world.add('a', 'b', 'c');
  await world.start({ sessionKeyFiles: { current, previous: world.keyFile('previous', former) } });
  const { all, pinned } = await clients(world, 6);
  const before = all.map(({ token }) => token);

  world.keyFile('key');
  for (const [index, client] of all.entries()) {
    await eventually('a token of the new key', async () => {
      t.is(await client.ask(), pinned[index] as string);
      return client.token !== before[index];
    });
    t.is(client.given.length, 2);
    t.deepEqual(distinct(await client.askOften(3)), [pinned[index] as string]);
  }

  // Rotation is over: there is no former key any more.
  world.keyFile('previous', 'another former key, which never made a token');
  const late = new SessionClient(world);
  await eventually('tokens of the former key to be none', async () => {
    late.token = before[0];
    late.given.length = 0;
    await late.ask();
    return late.given.length === 1 && late.token !== (all[0] as SessionClient).token;
  });
  for (const [index, client] of all.entries()) t.is(await client.ask(), pinned[index] as string);
});

thorough(test.serial)('a session ends after its lifetime, which a cookie that is kept says too', async (t) => {
  const world = new SessionWorld(t, { ...byCookie, lifetimeSeconds: 3, permanent: true, secure: true });
  await world.add('a', 'b', 'c');
  await world.start();
  const client = new SessionClient(world);
  await client.ask();
  t.regex(client.given[0] ?? '', /^s=[\w-]{22}; Path=\/; Max-Age=3; HttpOnly; Secure; SameSite=Strict$/);
  const { token } = client;
  await eventually('another token', async () => {
    await client.ask();
    return client.token !== token;
  });
});

test.serial('without a key a data plane makes one up and warns that no other shares it', async (t) => {
  const lines: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n').filter(Boolean)) lines.push(JSON.parse(line));
      done();
    },
  });
  const world = new SessionWorld(t, byCookie);
  await world.add('a', 'b');
  await world.start({ logger: createLogger({ destination }) });
  const client = new SessionClient(world);
  const pinned = await client.ask();
  t.deepEqual(distinct(await client.askOften(5)), [pinned]);
  const warnings = lines.filter(({ level, component }) => level === 'warn' && component === 'sessions');
  t.is(warnings.length, 1);
  t.regex(String(warnings[0]?.msg), /auto-generated and not shared across replicas or restarts.*secret_key_file/);

  await world.restart({});
  await client.ask();
  t.is(client.given.length, 2, 'its tokens end with it');
});
