import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { type CacheOptions, ConfigCache, readCacheKey } from '../../../src/agent/cache/index.ts';
import type { Clock } from '../../../src/agent/clock.ts';
import { type DeltaResponse, deltaRequest } from '../../../src/agent/relay/delta-messages.ts';
import { typeUrls } from '../../../src/envoy/index.ts';
import { AckingRelay, describeKnowledge, type Say } from '../../support/acking-relay.ts';
import { logLines } from '../../support/log-lines.ts';
import { repetitions, thorough } from '../../support/repetitions.ts';
import { until } from '../../support/until.ts';

const { cluster, endpoint, listener, secret } = typeUrls;

const now = new Date(10_000);

/** Waits of seconds are over at once; a longer one lasts until it is aborted. */
const hurriedClock: Clock = {
  now: () => now,
  delay: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (ms < 60_000) setImmediate(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    }),
};

function directory(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'gatewright-cache-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const fileIn = (path: string) => join(path, 'configuration.cache');

function cacheFor(played: AckingRelay, options: Partial<CacheOptions> & { readonly directory: string }) {
  const { logger, find } = logLines();
  const around = { gateway: 'test/edge', relay: played.relay, confirmedAt: () => now, logger, clock: hurriedClock };
  return { cache: new ConfigCache({ secrets: true, ...options, ...around }), find };
}

/** A relay whose every snapshot is written to disk before `publish` resolves. */
function keeping(path: string, options: Partial<CacheOptions> = {}) {
  const played: AckingRelay = new AckingRelay(() => cache.changed());
  const { cache, find } = cacheFor(played, { directory: path, ...options });
  const over = new AbortController();
  const running = cache.run(over.signal);
  played.join([cluster, endpoint, listener, secret]);
  let snapshots = 0;
  /** Resolves before any of it is written. */
  const apply = (says: readonly Say[]) => {
    snapshots += 1;
    return played.publish(`s${snapshots}`, says);
  };
  return {
    cache,
    find,
    relay: played.relay,
    apply,
    publish: async (says: readonly Say[]) => {
      const before = cache.state.bytes;
      await apply(says);
      await until('the write', () => cache.state.bytes !== before);
    },
    end: async () => {
      over.abort();
      await running;
    },
  };
}

async function restored(path: string, options: Partial<CacheOptions> = {}) {
  const played = new AckingRelay();
  const { cache, find } = cacheFor(played, { directory: path, ...options });
  return { found: await cache.restore(), knows: describeKnowledge(played.relay), find };
}

test('what Envoy had taken is kept also when another Envoy starts before it is written', async (t) => {
  const path = directory(t);
  const kept = keeping(path);
  const { relay } = kept;
  await kept.apply([{ typeUrl: cluster, name: 'c', version: '1' }]);
  const sent: DeltaResponse[] = [];
  relay.envoyJoined((response) => sent.push(response));
  for (const typeUrl of [cluster, listener]) relay.envoyAsked(deltaRequest({ typeUrl }), Uint8Array.of(1));
  t.false(relay.settled);
  for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
  t.is(kept.cache.state.bytes, 0);
  for (const { typeUrl, nonce } of sent) relay.envoyAsked(deltaRequest({ typeUrl, nonce }));
  await until('the write', () => kept.cache.state.bytes > 0);
  await kept.end();
  t.regex((await restored(path)).knows, /Cluster c 1/);
});

const many = (count: number, version = '1'): Say[] =>
  Array.from({ length: count }, (_, at) => ({ typeUrl: cluster, name: `c${at}`, version, size: 500 }));

test('a change of a big configuration costs what it is big itself, and the file does not grow for ever', async (t) => {
  const path = directory(t);
  const kept = keeping(path);
  await kept.publish(many(4000));
  const whole = kept.cache.state.bytes;
  t.true(whole > 2_000_000);
  await kept.publish([{ typeUrl: cluster, name: 'c7', version: '2', size: 500 }]);
  t.true(kept.cache.state.bytes - whole < 1000);
  for (let round = 3; round < 8; round += 1) await kept.publish(many(4000, String(round)));
  t.true(kept.cache.state.bytes < 4 * whole);
  await kept.end();
  t.is((await restored(path)).knows, describeKnowledge(kept.relay));
});

const say = fc.record({
  typeUrl: fc.constantFrom(cluster, endpoint, listener),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  version: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
  rejected: fc.boolean(),
});

thorough(test)('whatever was published, what is read back is what the relay knew', async (t) => {
  const history = fc.array(fc.array(say, { maxLength: 4 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(history, fc.boolean(), async (publications, encrypted) => {
      const path = directory(t);
      const options = encrypted ? { key: Buffer.alloc(32, 7) } : {};
      const kept = keeping(path, options);
      for (const says of publications) await kept.publish(says as Say[]);
      await kept.end();
      t.is((await restored(path, options)).knows, describeKnowledge(kept.relay));
    }),
    { numRuns: repetitions({ few: 12, all: 40 }) },
  );
});

test('a file that ends anywhere gives the configuration of some write before, or none', async (t) => {
  const path = directory(t);
  const kept = keeping(path);
  const known = new Set<string>();
  const ends: number[] = [];
  for (const version of ['1', '2', '3']) {
    await kept.publish([{ typeUrl: cluster, name: `c${version}`, version }]);
    ends.push(kept.cache.state.bytes);
    known.add((await restored(path)).knows);
  }
  await kept.end();
  const bytes = readFileSync(fileIn(path));
  for (let end = bytes.length - 1; end >= 0; end -= 1) {
    truncateSync(fileIn(path), end);
    const { found, knows, find } = await restored(path);
    t.is(found, end >= (ends[0] as number));
    if (found) t.true(known.has(knows));
    else t.is(find(/is not used/).length, 1);
  }
});

test('records that were changed, left out or moved are not taken, with a key or without', async (t) => {
  for (const options of [{}, { key: Buffer.alloc(32, 7) }]) {
    const path = directory(t);
    const kept = keeping(path, options);
    await kept.publish([{ typeUrl: cluster, name: 'c1', version: '1' }]);
    const first = readFileSync(fileIn(path));
    const { knows } = await restored(path, options);
    await kept.publish([{ typeUrl: cluster, name: 'c2', version: '1' }]);
    await kept.publish([{ typeUrl: cluster, name: 'c1' }]);
    await kept.end();
    const all = readFileSync(fileIn(path));
    const second = all.readUInt32BE(first.length) + 4;
    writeFileSync(fileIn(path), Buffer.concat([first, all.subarray(first.length + second)]));
    const without = await restored(path, options);
    t.is(without.knows, knows);
    t.is(without.find(/the end of the configuration kept on disk is not whole/).length, 1);
    const changed = Buffer.from(all);
    changed[first.length - 1] = (changed[first.length - 1] as number) ^ 1;
    writeFileSync(fileIn(path), changed);
    t.false((await restored(path, options)).found);
  }
});

test('a key file that cannot be used is named by its key', (t) => {
  t.throws(() => readCacheKey('/no/such/key'), {
    message: 'dataplane.cache.keyFile: /no/such/key cannot be read (ENOENT); create it or correct the path',
  });
});

test('Secrets stay out where that is asked for, also those that an agent before kept', async (t) => {
  const path = directory(t);
  const says = [
    { typeUrl: secret, name: 'key', version: '1' },
    { typeUrl: cluster, name: 'c', version: '1' },
  ];
  const kept = keeping(path);
  await kept.publish(says);
  await kept.end();
  t.regex((await restored(path)).knows, /Secret key 1/);
  t.notRegex((await restored(path, { secrets: false })).knows, /Secret/);
  const careful = keeping(path, { secrets: false });
  await careful.publish(says);
  await careful.end();
  t.notRegex((await restored(path)).knows, /Secret/);
  t.regex((await restored(path)).knows, /Cluster c 1/);
});
