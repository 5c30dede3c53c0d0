import { readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import test from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { root } from '../../scripts/paths.mjs';
import type { Endings } from '../support/endings.ts';
import { connectedStore, storeOf, type TestStore } from '../support/limit-stores.ts';
import { limitTake } from '../support/limit-take.ts';
import { thorough } from '../support/repetitions.ts';
import { until } from '../support/until.ts';
import { Valkey } from '../support/valkey.ts';

/* A Valkey that is away, silent, lies or wants to know more of us, and others who write to it. */

const cluster = 'default/edge';
const take = limitTake.bind(undefined, 'n/p/b|10/86400000/10');
const granted = async ({ store }: Pick<TestStore, 'store'>, key = 'k'): Promise<number | undefined> =>
  (await store.take(cluster, [take(key)]))[0]?.granted;

/** A server that talks, at the other end of the wire. */
async function serverOf(t: Endings, make: () => Server): Promise<URL> {
  const server = make();
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return new URL(`redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
}

/** Answers each command in turn with one of these. */
const saying = (answer: (command: string) => string) => () =>
  createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      // Each command begins with the number of its words.
      for (const command of bytes
        .toString()
        .split(/(?:^|(?<=\r\n))\*/)
        .filter(Boolean))
        socket.write(answer(command));
    });
  });

thorough(test)(
  'a server that hangs grants nothing, holds up no others, and is used again when it goes on',
  async (t) => {
    const valkey = await Valkey.start(t);
    const { store, lost } = storeOf(t, { url: new URL(valkey.url) });
    t.teardown(() => valkey.goOn());
    await until('a connection', () => store.isConnected);
    t.is(await granted({ store }), 1);
    valkey.hang();
    t.is(await granted({ store }), undefined);
    await until('the connection to be given up', () => lost.length > 0);
    t.regex(lost[0] ?? '', /has not answered for 3000 ms/);
    valkey.goOn();
    await until('another one', async () => (await granted({ store })) === 1);
    const { debts = [] } = (await store.take(cluster, [take('k', { wanted: 0 })]))[0] ?? {};
    t.true((debts[0] ?? 0) <= 0.4 * 86_400_000, 'no more was taken than was asked for');
  },
);

thorough(test)('a server that is away and comes back empty grants by what agents know', async (t) => {
  const valkey = await Valkey.start(t);
  const { store } = storeOf(t, { url: new URL(valkey.url) });
  await until('a connection', () => store.isConnected);
  const [first] = await store.take(cluster, [take('k', { wanted: 8 })]);
  await valkey.kill();
  t.is(await granted({ store }), undefined);
  await valkey.run();
  await until('a connection', () => store.isConnected);
  const known = take('k', { wanted: 10, owner: first?.owner ?? '', debts: first?.debts ?? [] });
  t.is((await store.take(cluster, [known]))[0]?.granted, 2);
});

const right = '*4\r\n$1\r\n1\r\n$1\r\n0\r\n$1\r\no\r\n$1\r\n0\r\n';
const lies: readonly (readonly [what: string, answer: string])[] = [
  ['nothing', '$-1\r\n'],
  ['a text', '+OK\r\n'],
  ['more than was wanted', '*4\r\n$1\r\n2\r\n$1\r\n0\r\n$1\r\no\r\n$1\r\n0\r\n'],
  ['fewer than none', '*4\r\n$2\r\n-1\r\n$1\r\n0\r\n$1\r\no\r\n$1\r\n0\r\n'],
  ['no number', '*4\r\n$3\r\nNaN\r\n$1\r\n0\r\n$1\r\no\r\n$1\r\n0\r\n'],
  ['a wait without end', '*4\r\n$1\r\n1\r\n$8\r\nInfinity\r\n$1\r\no\r\n$1\r\n0\r\n'],
  ['no owner', '*4\r\n$1\r\n1\r\n$1\r\n0\r\n$0\r\n\r\n$1\r\n0\r\n'],
  ['debts of other windows', '*5\r\n$1\r\n1\r\n$1\r\n0\r\n$1\r\no\r\n$1\r\n0\r\n$1\r\n0\r\n'],
  ['what is no protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
];
for (const [what, answer] of lies) {
  test(`a server that grants ${what} grants nothing`, async (t) => {
    const url = await serverOf(
      t,
      saying((command) => (!/EVAL/.test(command) ? '+OK\r\n' : /check/.test(command) ? right : answer)),
    );
    const made = storeOf(t, { url });
    await until('a connection', () => made.store.isConnected);
    t.is(await granted(made), undefined);
    await until('the connection to be given up', () => made.lost.length > 0);
  });
}

const rejections: readonly (readonly [what: string, answer: string, why: RegExp])[] = [
  ['is a replica', "-READONLY You can't write against a read only replica.\r\n", /name the primary/],
  ['is part of a cluster', '-MOVED 1 127.0.0.1:1\r\n', /part of a cluster/],
  ['denies scripts', "-NOPERM this user has no permissions to run the 'evalsha' command\r\n", /ACL/],
  ['is full', "-OOM command not allowed when used memory > 'maxmemory'.\r\n", /memory is full/],
];
for (const [what, answer, why] of rejections) {
  test(`a server that ${what} grants nothing, and the log says what to do`, async (t) => {
    const url = await serverOf(
      t,
      saying((command) => (/EVAL/.test(command) ? answer : '+OK\r\n')),
    );
    const made = storeOf(t, { url });
    await until('the reason', () => made.lost.length > 0);
    t.is(await granted(made), undefined);
    t.regex(made.lost[0] ?? '', why);
  });
}

test('a server that accepts and says nothing is no connection', async (t) => {
  const url = await serverOf(t, () => createServer((socket) => socket.on('error', () => {})));
  const made = storeOf(t, { url });
  await until('a word of it', () => made.lost.length > 0);
  t.regex(made.lost[0] ?? '', /no connection within/);
  t.is(await granted(made), undefined);
});

test('passwords: without one, with a wrong one, and with one that changes', async (t) => {
  const valkey = await Valkey.start(t, '--requirepass', 'sesame');
  const url = new URL(valkey.url);
  const [none, wrong] = [storeOf(t, { url }), storeOf(t, { url, secrets: () => ({ password: 'open' }) })];
  for (const [{ lost }, why] of [
    [none, /asks for a password/],
    [wrong, /rejects the user name or password/],
  ] as const) {
    await until('the reason', () => lost.length > 0);
    t.regex(lost[0] ?? '', why);
    t.false(lost.join().includes('sesame') || lost.join().includes('open'));
  }
  t.is(await granted(none), undefined);
  let password = 'open';
  const changing = storeOf(t, { url, secrets: () => ({ password }) });
  await until('the reason', () => changing.lost.length > 0);
  password = 'sesame';
  await until('a connection', () => changing.store.isConnected);
  t.is(await granted(changing), 1);
});

thorough(test)('a user with the rights that the documents name is enough, and reaches no other keys', async (t) => {
  const page = readFileSync(join(root, 'docs/rate-limits.md'), 'utf8');
  const rights = /In an ACL they need `([^`]+)`/.exec(page)?.[1]?.split(' ') ?? [];
  const valkey = await Valkey.start(t);
  t.is(await valkey.ask('ACL', 'SETUSER', 'gatewright', 'on', '>sesame', ...rights), 'OK');
  const user = { url: new URL(valkey.url), username: 'gatewright', secrets: () => ({ password: 'sesame' }) };
  const own = storeOf(t, user, 'gatewright:');
  await until('a connection', () => own.store.isConnected);
  t.is(await granted(own), 1);
  const other = storeOf(t, user, 'other:');
  await until('the reason', () => other.lost.length > 0);
  t.regex(other.lost[0] ?? '', /its ACL denies/);
  t.is(await granted(other), undefined);
});

thorough(test)('TLS: only a server with the right certificate gets a word', async (t) => {
  const valkey = await Valkey.start(t);
  const authority = await createAuthority('valkey');
  const { certificatePem: cert, keyPem: key } = await authority.issue({ hostnames: ['valkey.test'] });
  const behind = await serverOf(t, () => createTlsServer({ cert, key }, (socket) => tunnel(socket, valkey.port)));
  const url = withTls(behind.href);
  const trusting = { ca: authority.certificatePem };
  const unknown = storeOf(t, { url, serverName: 'valkey.test' });
  const named = storeOf(t, { url, serverName: 'other.test', secrets: () => trusting });
  for (const { lost } of [unknown, named]) {
    await until('the reason', () => lost.length > 0);
    t.regex(lost[0] ?? '', /certificate is not trusted/);
  }
  const right = storeOf(t, { url, serverName: 'valkey.test', secrets: () => trusting });
  await until('a connection', () => right.store.isConnected);
  t.is(await granted(right), 1);
  const toPlain = storeOf(t, { url: withTls(valkey.url) });
  await until('the reason', () => toPlain.lost.length > 0);
  t.is(await granted(toPlain), undefined);
});

thorough(test)('what others write under a key of ours opens nothing, and other keys are served', async (t) => {
  const valkey = await Valkey.start(t);
  const store = await connectedStore(t, valkey.url);
  const name = (key: string) => `test:${cluster} ${take(key).bucket} ${key}`;
  await valkey.ask('LPUSH', name('list'), 'x');
  await valkey.ask('SET', name('odd'), 'not ours');
  await valkey.ask('SET', name('numbers'), 'owner 1e999 nan');
  const keys = ['list', 'odd', 'numbers', 'fine'];
  const grants = await store.take(
    cluster,
    keys.map((key) => take(key)),
  );
  t.deepEqual(
    grants.map((grant) => grant?.granted),
    [undefined, undefined, undefined, 1],
  );
  t.true(store.isConnected);
});

const withTls = (url: string): URL => new URL(url.replace('redis:', 'rediss:'));

function tunnel(socket: Socket, port: number): void {
  const inner = connect(port, '127.0.0.1');
  for (const end of [socket, inner]) end.on('error', () => end.destroy());
  socket.pipe(inner).pipe(socket);
}
