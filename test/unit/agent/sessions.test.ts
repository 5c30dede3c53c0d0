import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { decodeDeltaResponse } from '../../../src/agent/relay/delta-messages.ts';
import { epochsAt } from '../../../src/agent/sessions/epochs.ts';
import { SessionKeys } from '../../../src/agent/sessions/session-keys.ts';
import { SessionTables } from '../../../src/agent/sessions/session-tables.ts';
import { tokenOf } from '../../../src/agent/sessions/token.ts';
import { ConfigError } from '../../../src/config/index.ts';
import { encodeDeltaResponse } from '../../../src/xds/session/wire.ts';
import { endpoints } from '../../support/agent-resources.ts';

const directory = mkdtempSync(join(tmpdir(), 'gatewright-session-keys-'));
test.after.always(() => rmSync(directory, { recursive: true }));

const logger = pino({ level: 'silent' });
const key = (letter: string) => Buffer.from(letter.repeat(32));
const scope = { scope: 'default/web/80', lifetimeSeconds: 0, epoch: 0, address: '10.0.0.1:80' };

test('a token is of one key, scope, lifetime, epoch and endpoint', (t) => {
  const tokens = [
    tokenOf(key('a'), scope),
    tokenOf(key('b'), scope),
    tokenOf(key('a'), { ...scope, scope: 'default/web/8' }),
    tokenOf(key('a'), { ...scope, lifetimeSeconds: 1 }),
    tokenOf(key('a'), { ...scope, epoch: 1 }),
    tokenOf(key('a'), { ...scope, address: '10.0.0.1:8' }),
  ];
  t.is(new Set(tokens).size, tokens.length);
  t.true(tokens.every((token) => /^[\w-]{22}$/.test(token)));
  t.is(tokenOf(key('a'), scope), tokens[0] as string);
});

test('what is kept in cookies today is good tomorrow: the form of a token does not change', (t) => {
  t.is(tokenOf(key('k'), scope), '8H_KhTX0byf9vSmGbQaNaw');
});

const lifetimes = test.macro({
  exec: (t, lifetime: number) => {
    const made = new Date(1_000_000_000_123);
    const { current } = epochsAt(made, lifetime);
    const isGood = (seconds: number) =>
      epochsAt(new Date(made.getTime() + seconds * 1000), lifetime).accepted.includes(current);
    t.true(isGood(0));
    t.false(isGood(lifetime), 'never longer');
    const part = Math.ceil(lifetime / 16);
    const count = Math.floor(lifetime / part);
    t.true(isGood((count - 1) * part - 0.001), 'at most one part less');
  },
  title: (_, lifetime) => `a token of ${lifetime} s is good for no longer, and for nearly as long`,
});
test(lifetimes, 1);
test(lifetimes, 3);
test(lifetimes, 60);
test(lifetimes, 3600);
test(lifetimes, 86_400 * 30);

test('tokens of a clock that is one part ahead are taken; without a lifetime there is one epoch', (t) => {
  const now = new Date(1_000_000_000_000);
  t.true(epochsAt(now, 160).accepted.includes(epochsAt(new Date(now.getTime() + 10_000), 160).current));
  t.deepEqual(epochsAt(now, 0), { current: 0, accepted: [0], secondsLeft: Number.POSITIVE_INFINITY });
});

test('a key is read again when it changes, and one that is no good leaves the former', (t) => {
  const file = join(directory, 'current');
  const previous = join(directory, 'previous');
  writeFileSync(file, `${'a'.repeat(32)}\n`);
  let ms = 0;
  const messages: string[] = [];
  const log = pino({}, { write: (line: string) => messages.push(JSON.parse(line).msg) });
  const keys = new SessionKeys({ files: { current: file, previous }, logger: log, now: () => new Date(ms) });
  const ring = () => {
    ms += 2000;
    const { generation, keys: now } = keys.current();
    return [generation, ...now.map(String)];
  };
  t.deepEqual(ring(), [1, 'a'.repeat(32)]);
  writeFileSync(previous, 'a'.repeat(32));
  writeFileSync(file, 'b'.repeat(40));
  t.deepEqual(ring(), [2, 'b'.repeat(40), 'a'.repeat(32)]);
  writeFileSync(file, 'short');
  t.deepEqual(ring(), [2, 'b'.repeat(40), 'a'.repeat(32)]);
  t.deepEqual(ring(), [2, 'b'.repeat(40), 'a'.repeat(32)]);
  t.is(messages.filter((message) => message.includes('holds 5 bytes')).length, 1, 'said once');
  writeFileSync(file, 'b'.repeat(40));
  rmSync(previous);
  t.deepEqual(ring(), [3, 'b'.repeat(40)]);
});

test('a key that is missing or short is an error at the start', (t) => {
  const short = join(directory, 'short');
  writeFileSync(short, `${'x'.repeat(31)}\n`);
  const open = (current: string) => new SessionKeys({ files: { current }, logger, now: () => new Date() });
  const tooShort = t.throws(() => open(short), { instanceOf: ConfigError });
  t.regex(tooShort?.message ?? '', /short holds 31 bytes, too few for a key; write at least 32 random bytes/);
  const missing = t.throws(() => open(join(directory, 'none')), { instanceOf: ConfigError });
  t.regex(missing?.message ?? '', /none cannot be read \(ENOENT\)/);
});

test('a table has a line for each endpoint, and is made again only when something in it is another', (t) => {
  const web = endpoints('default/web/80', 8080);
  const sent = encodeDeltaResponse({
    typeUrl: web.typeUrl,
    nonce: '',
    systemVersion: '',
    upserts: [web],
    removed: [],
    empty: [],
  });
  const [resource] = decodeDeltaResponse(sent).resources;
  let keys: { generation: number; keys: [Buffer, ...Buffer[]] } = { generation: 1, keys: [key('a')] };
  let ms = 0;
  const tables = new SessionTables({
    endpointsOf: (name) => (name === web.name ? resource : undefined),
    keys: { current: () => keys },
    now: () => new Date(ms),
  });
  const address = '127.0.0.1:8080';
  const named = { cluster: web.name, scope: 'web', lifetimeSeconds: 0 };
  const at = { scope: 'web', lifetimeSeconds: 0, epoch: 0, address };
  const first = tables.find(named);
  t.is(first?.body, `${address} ${tokenOf(key('a'), at)}\n`);
  t.is(first?.maxAgeSeconds, 10);
  ms = 100_000;
  t.is(tables.find(named)?.version, first?.version);
  keys = { generation: 2, keys: [key('b'), key('a')] };
  const second = tables.find(named);
  t.not(second?.version, first?.version);
  t.is(second?.body, `${address} ${tokenOf(key('b'), at)}=${tokenOf(key('a'), at)}\n`);
  t.is(tables.find({ ...named, cluster: 'default/none/80' }), undefined);

  const short = tables.find({ ...named, lifetimeSeconds: 2 });
  t.is(
    short?.body.trim().split(' ').length,
    4,
    'the address, and tokens of the present, the former and the next epoch',
  );
  t.is(short?.maxAgeSeconds, 1);
});
