import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { AiData } from '../../../../src/addons/ai/data.ts';
import { mergeData } from '../../../../src/addons/ai/reports/index.ts';
import { FileStore } from '../../../../src/addons/ai/store/file-store.ts';
import { PostgresStore, type PostgresStoreOptions } from '../../../../src/addons/ai/store/postgres/postgres-store.ts';
import type { Entry } from '../../../../src/addons/ai/store/usage-store.ts';
import { attempt, clientRequest } from '../../../support/ai-records.ts';
import { testCertificates } from '../../../support/certificates.ts';
import { endings } from '../../../support/endings.ts';
import { Postgres } from '../../../support/postgres.ts';
import { until, untilFits } from '../../../support/until.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 5, 15, 12, 34, 56);
const whole = { from: now - 60 * day, to: now + 1, stepMs: 60_000, traces: 3000 };
const month = Date.UTC(2026, 5, 1);

let postgres: Postgres;
const shared = endings(test);
test.before(async () => {
  postgres = await Postgres.start(shared);
});

let schemas = 0;
const newSchema = (): string => `s${schemas++}`;

function open(t: ExecutionContext, more: Partial<PostgresStoreOptions> = {}): PostgresStore {
  const store = new PostgresStore({
    server: serverOf(postgres),
    schema: newSchema(),
    hasBudgets: () => true,
    onLost: () => {},
    onConnected: () => {},
    now: () => now,
    everyMs: 20,
    // This machine may be busy.
    timeouts: { connect: 60_000, statement: 60_000, answer: 60_000 },
    ...more,
  });
  t.teardown(() => store.close());
  return store;
}

const serverOf = ({ url, password }: Pick<Postgres, 'url' | 'password'>): PostgresStoreOptions['server'] => ({
  url: new URL(url),
  username: 'gatewright',
  tls: false,
  insecureSkipVerify: false,
  secrets: () => ({ password }),
});

/** Requests of three routes and models over 40 days, some of them with attempts, costs and budgets, some of them twice. */
function someEntries(count: number): readonly Entry[] {
  const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
  return Array.from({ length: count }, (_, place) => {
    const index = place % (count - 10);
    const id = `r${index}`;
    const at = now - ((index * 7919) % (40 * 24 * 60)) * 60_000 - index;
    const record =
      index % 3 === 0
        ? clientRequest({ id, at, route: pick(['a', 'b', 'c'], index), attempts: 1 + (index % 2), durationMs: index })
        : attempt({
            id,
            at: at + 0.25,
            service: pick(['x/y', 'x/z'], index),
            model: pick(['m', 'n', ''], index),
            usageStatus: 'complete',
            usage: index % 5 === 0 ? null : { input: index, output: 5, cached: 4, cacheWrite: 0, reasoning: 1 },
            cost: pick([7, null, 11_000_000_000], index),
            status: pick([200, 500], index),
          });
    const budgets = [
      { policy: 'a/p', key: pick(['k', 'l'], index), per: 'Month', start: month, tokens: index, cost: 3 },
    ];
    return {
      seenKey: `${id} ${record.kind} ${record.at}`,
      record,
      key: 'k',
      budgets: record.kind === 'attempt' ? budgets : [],
    };
  });
}

/** In one order, for the databases have none. */
function sorted(data: AiData): AiData {
  const inOrder = <T>(rows: readonly T[]): T[] => [...rows].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  const { requests, usage, latency, strays, budgets } = data;
  return {
    ...mergeData([data], whole.traces),
    requests: inOrder(requests),
    usage: inOrder(usage),
    latency: inOrder(latency),
    strays: inOrder(strays),
    budgets: inOrder(budgets),
  };
}

const textOf = (value: unknown): string => JSON.stringify(value, Object.keys(value as object).sort());

test('PostgreSQL keeps, reports and forgets exactly what SQLite does', async (t) => {
  const [here, there] = [open(t), new FileStore(undefined)];
  const entries = someEntries(900);
  for (let from = 0; from < entries.length; from += 100) {
    const some = entries.slice(from, from + 100);
    const fresh = await there.keep(some, now);
    t.deepEqual(await here.keep(some, now), fresh);
  }
  for (const again of [false, true]) {
    t.deepEqual(sorted(await here.read(whole)), sorted(await there.read(whole)), again ? 'after pruning' : 'before');
    const steps = { ...whole, stepMs: day, to: now - 3 * day, traces: 0 };
    t.deepEqual(sorted(await here.read(steps)), sorted(await there.read(steps)));
    t.deepEqual(here.used('a/p', 'k', 'Month', month), there.used('a/p', 'k', 'Month', month));
    await Promise.all([here.prune(now), there.prune(now)]);
  }
});

test('the newest traces are kept', async (t) => {
  const store = open(t);
  const of = (index: number): Entry => ({
    seenKey: `r${index}`,
    record: clientRequest({ id: `r${index}`, at: now + index }),
    key: '',
    budgets: [],
  });
  await store.keep(
    Array.from({ length: 2500 }, (_, index) => of(index)),
    now,
  );
  await store.pruneTraces();
  const { traces } = await store.read({ from: 0, to: now + day, stepMs: day, traces: 5000 });
  t.is(traces.length, 2000);
  t.is(traces[0]?.request.id, 'r2499');
});

test('eight replicas that get the same reports at once keep it once, and know the sum of all', async (t) => {
  const schema = newSchema();
  const stores = Array.from({ length: 8 }, () => open(t, { schema }));
  await Promise.all(stores.map((store) => store.start()));
  const entries = someEntries(300);
  const parts = [0, 1, 2].map((part) => entries.filter((_, index) => index % 3 === part).reverse());
  const news = await Promise.all(
    stores.flatMap((store, index) => parts.map((part) => store.keep(index % 2 ? part : [...part].reverse(), now))),
  );
  const once = new Set(entries.map(({ seenKey }) => seenKey)).size;
  t.is(news.flat().length, once);
  const { requests, usage, budgets } = await (stores[0] as PostgresStore).read(whole);
  const counted = [...requests, ...usage].reduce((sum, row) => sum + row.requests, 0);
  t.is(counted, once);
  for (const store of stores)
    for (const { policy, key, per, start, tokens, cost } of budgets)
      await untilFits(
        'each replica to know what all used',
        () => store.used(policy, key, per as 'Month', start),
        (used) => used.tokens === tokens && used.cost === cost,
      );
});

test('a server that ends loses nothing, is reported once, and is used again when it is back', async (t) => {
  const own = await Postgres.start(t);
  const said: string[] = [];
  const store = open(t, {
    server: serverOf(own),
    onLost: (why) => said.push(why),
    onConnected: () => said.push('connected'),
  });
  const [first, second] = [someEntries(40).slice(0, 20), someEntries(40).slice(20)];
  await store.keep(first, now);
  const before = sorted(await store.read(whole));
  await own.kill();
  await t.throwsAsync(store.keep(second, now), { message: /^127\.0\.0\.1:\d+: / });
  await t.throwsAsync(store.read(whole), { message: /ECONNREFUSED/ });
  t.is(said.length, 1);
  // What is known of budgets still counts.
  t.true(store.used('a/p', 'k', 'Month', month).tokens > 0);
  await own.run();
  t.deepEqual(sorted(await store.read(whole)), before);
  t.deepEqual(said.slice(1), ['connected']);
  t.is((await store.keep([...first, ...second], now)).length, second.length - 10);
});

test('texts that PostgreSQL cannot store or index are kept as far as it can', async (t) => {
  const store = open(t);
  const wide = '\u{1f980}'.repeat(256);
  const record = attempt({
    at: now,
    id: `a\0${wide}`,
    model: wide,
    responseModel: `\0\ud800${wide}`,
    service: `x/${wide}`,
    route: `${wide}\0`,
  });
  const budgets = [{ policy: `a/${wide}`, key: `\0${wide}`, per: 'Month', start: month, tokens: 5, cost: 1 }];
  const entry = { seenKey: '\0', record, key: `\0${wide}`, budgets };
  t.is((await store.keep([entry], now)).length, 1);
  t.is((await store.keep([entry], now)).length, 0);
  const { usage, strays } = await store.read(whole);
  t.is(usage[0]?.requests, 1);
  t.is(strays.length, 1);
  t.is(store.used(`a/${wide}`, `\0${wide}`, 'Month', month).tokens, 5);
});

const rejected = test.macro(async (t, more: Partial<PostgresStoreOptions['server']>, message: RegExp) => {
  const store = open(t, { server: { ...serverOf(postgres), ...more } });
  await t.throwsAsync(store.read(whole), { message });
});

test(
  'a wrong password is named with the next step',
  rejected,
  { secrets: () => ({ password: 'wrong' }) },
  /: password authentication failed .*; set aiUsage\.postgres\.username and passwordFile$/,
);
test('no password is named with the next step', rejected, { secrets: () => ({}) }, /passwordFile$/);
test('a server without TLS is not spoken to in plain text', rejected, { tls: true }, /does not support SSL/);
test(
  'a file that cannot be read is named',
  rejected,
  {
    secrets: () => {
      throw new Error('/etc/postgres/password: ENOENT');
    },
  },
  /\/etc\/postgres\/password: ENOENT/,
);

test('a server that hangs is left, and used again when it goes on', async (t) => {
  const own = await Postgres.start(t);
  const store = open(t, { server: serverOf(own), timeouts: { answer: 2000 } });
  const [first, second] = [someEntries(40).slice(0, 20), someEntries(40)];
  await until('it to be kept', () => store.keep(first, now));
  own.hang();
  await t.throwsAsync(store.keep(second, now), { message: /timeout/ });
  own.goOn();
  await until('it to be kept', () => store.keep(second, now));
  t.deepEqual(await store.keep(second, now), []);
});

test('TLS needs a certificate of a known authority, for the name that is asked for', async (t) => {
  const [good, other] = testCertificates;
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-postgres-tls-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'key'), good.key, { mode: 0o600 });
  writeFileSync(join(directory, 'crt'), good.certificate);
  const own = await Postgres.start(t, 'ssl=on', `ssl_key_file=${directory}/key`, `ssl_cert_file=${directory}/crt`);
  const reading = (more: Partial<PostgresStoreOptions['server']>, ca?: string) => {
    const secrets = () => ({ password: own.password, ca });
    return open(t, { server: { ...serverOf(own), tls: true, secrets, ...more } }).read(whole);
  };
  const serverName = 'a.example.com';
  t.deepEqual((await reading({ serverName }, good.certificate)).usage, []);
  t.deepEqual((await reading({ insecureSkipVerify: true })).usage, []);
  await t.throwsAsync(reading({ serverName }), { message: /set aiUsage\.postgres\.caFile/ });
  await t.throwsAsync(reading({ serverName }, other.certificate), { message: /caFile, or serverName$/ });
  await t.throwsAsync(reading({}, good.certificate), { message: /altnames.*serverName$/ });
});

test('tables of a newer release are left alone', async (t) => {
  const schema = newSchema();
  await open(t, { schema }).read(whole);
  await postgres.ask(`UPDATE ${schema}.version SET version = 2`);
  await t.throwsAsync(open(t, { schema }).read(whole), { message: /version 2, and this release knows 1/ });
});

test('a user without the right to create a schema uses one that is theirs', async (t) => {
  await postgres.ask(`CREATE USER tenant PASSWORD 'secret'; CREATE SCHEMA theirs AUTHORIZATION tenant`);
  const server = { ...serverOf(postgres), username: 'tenant', secrets: () => ({ password: 'secret' }) };
  await t.throwsAsync(open(t, { server }).read(whole), { message: /permission denied.*right to create a schema/ });
  t.deepEqual((await open(t, { server, schema: 'theirs' }).read(whole)).usage, []);
});
