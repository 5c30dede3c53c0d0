import test from 'ava';
import fc from 'fast-check';
import { typeUrls } from '../../../src/envoy/index.ts';
import type { EnvoyResource, Provenance } from '../../../src/translate/index.ts';
import { bisectRejection, type RejectionCause } from '../../../src/xds/rejections/bisect.ts';
import { Rejections } from '../../../src/xds/rejections/rejections.ts';
import { Outbox } from '../../../src/xds/session/outbox.ts';
import { fakeResource } from '../../support/xds.ts';

const probeName = 'probe';

const digestOf = (text: string): bigint => BigInt(`0x${Buffer.from(text).toString('hex')}`);

const provenanceOf = (keys: readonly string[], namedIn?: Provenance['namedIn']): Provenance => ({
  origins: () => keys.map((key) => ({ kind: 'route', key, digest: digestOf(key) })),
  ...(namedIn && { namedIn }),
  probe: (some) => fakeResource(typeUrls.scopedRoute, probeName, [...some].join(' ')),
});

/** Runs a search against a client that rejects what `verdict` says; gives what was found and the probes. */
function search(
  provenance: Provenance,
  verdict: (keys: readonly string[]) => string | undefined,
  message = 'no',
  taken?: Provenance,
) {
  const probes: (readonly string[])[] = [];
  const probing = bisectRejection(provenance, message, taken);
  let { done, value } = probing.next();
  while (!done) {
    const keys = value as readonly string[];
    probes.push(keys);
    ({ done, value } = probing.next(verdict(keys)));
  }
  return { causes: value as readonly RejectionCause[], probes };
}

const keysOf = (causes: readonly RejectionCause[]): string[] => causes.map(({ key }) => key).sort();

test('whatever number of origins are at fault, they are found, in few probes', (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 300 }),
      fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
      (count, picks) => {
        const keys = Array.from({ length: count }, (_, index) => `r${index}`);
        const bad = new Set(picks.map((pick) => keys[pick % count] as string));
        const reject = (some: readonly string[]) => {
          const found = some.filter((key) => bad.has(key));
          return found.length > 0 ? `rejected for ${found.join(' ')}` : undefined;
        };
        const { causes, probes } = search(provenanceOf(keys), reject);
        const expected = [...bad].sort();
        if (keysOf(causes).join() !== expected.join()) return false;
        if (causes.some(({ key, message }) => message !== `rejected for ${key}`)) return false;
        return probes.length <= 2 * bad.size * Math.ceil(Math.log2(count));
      },
    ),
  );
  t.pass();
});

test('one alone needs no probe', (t) => {
  const { causes, probes } = search(provenanceOf(['a']), () => t.fail('asked'), 'bad a');
  t.deepEqual([causes, probes], [[{ key: 'a', message: 'bad a' }], []]);
});

test('who is named is probed first, and a wrong name does not mislead the search', (t) => {
  const keys = Array.from({ length: 100 }, (_, index) => `r${index}`);
  const reject = (some: readonly string[]) => (some.includes('r42') ? 'no' : undefined);
  const named = search(
    provenanceOf(keys, () => ['r42']),
    reject,
  );
  t.deepEqual([keysOf(named.causes), named.probes], [['r42'], [['r42']]]);
  const misnamed = search(
    provenanceOf(keys, () => ['r7']),
    reject,
  );
  t.deepEqual([keysOf(misnamed.causes), misnamed.probes[0]], [['r42'], ['r7']]);
});

test('what has changed since it was taken is probed first, and what has not is probed if that is not it', (t) => {
  const keys = Array.from({ length: 1000 }, (_, index) => `r${index}`);
  const reject = (some: readonly string[]) => (some.includes('r42') ? 'no' : undefined);
  const before = (without: string): Provenance => provenanceOf(keys.filter((key) => key !== without));
  const changed = search(provenanceOf(keys), reject, 'no', before('r42'));
  t.deepEqual([keysOf(changed.causes), changed.probes], [['r42'], [['r42']]]);
  const other = search(provenanceOf(keys), reject, 'no', before('r7'));
  t.deepEqual([keysOf(other.causes), other.probes[0]], [['r42'], ['r7']]);
});

test('of origins that are rejected together only, the one that is too much', (t) => {
  const keys = Array.from({ length: 20 }, (_, index) => `r${index}`);
  const { causes } = search(provenanceOf(keys), (some) =>
    some.includes('r3') && some.includes('r17') ? 'r3 and r17 collide' : undefined,
  );
  t.deepEqual(causes, [{ key: 'r17', message: 'r3 and r17 collide' }]);
  t.deepEqual(search(provenanceOf(keys), () => undefined).causes, [], 'no cause, if all are taken after all');
});

const scope = (name: string, text: string, keys: readonly string[]): EnvoyResource => ({
  ...fakeResource(typeUrls.scopedRoute, name, text),
  provenance: provenanceOf(keys),
});

/** A client of one type that rejects whatever holds `bad`; counts what it was sent. */
function clientOf(outbox: Outbox) {
  const sent: string[] = [];
  const held = new Map<string, string>();
  const step = (): boolean => {
    if (!outbox.ready) return false;
    const batch = outbox.take(1_000_000);
    outbox.inFlight.sent({ nonce: '1', snapshot: 's', batch, sentAtMs: 0 });
    const texts = batch.upserts.map(({ name, body }) => [name, body] as const);
    sent.push(...texts.map(([name, text]) => `${name}=${text}`), ...batch.removed.map((name) => `-${name}`));
    const error = texts.some(([, text]) => text.includes('bad')) ? 'it is bad' : undefined;
    if (error === undefined) {
      for (const [name, text] of texts) held.set(name, text);
      for (const name of batch.removed) held.delete(name);
    }
    if (outbox.inFlight.is('probe')) outbox.probed(error);
    else if (error === undefined) outbox.accept();
    else for (const resource of outbox.reject(error, false).rejected) outbox.rejections.add(resource, error);
    return true;
  };
  return { sent, held, step };
}

test('outbox: a rejected resource is searched, its neighbours go out meanwhile, and no probe is left behind', (t) => {
  const outbox = new Outbox();
  const client = clientOf(outbox);
  const keys = ['a', 'b', 'c', 'bad', 'e', 'f', 'g', 'h'];
  outbox.put(scope('host', 'good', ['a']), 1);
  client.step();
  outbox.put(scope('host', keys.join(' '), keys), 2);
  client.step();
  t.true(outbox.ready && outbox.quiet, 'a search holds up no round');
  t.is(client.held.get('host'), 'good');
  outbox.put(scope('neighbour', 'n', ['n']), 3);
  client.step();
  client.step();
  t.is(client.held.get('neighbour'), 'n', 'at most one probe goes before it');
  while (client.step());
  t.deepEqual(outbox.rejections.takeFound(), [
    { resource: 'host', origin: { kind: 'route', key: 'bad', digest: digestOf('bad') }, message: 'it is bad' },
  ]);
  t.deepEqual([...client.held.keys()].sort(), ['host', 'neighbour']);
  t.true(outbox.rejected.has('host'));
  t.is(outbox.behindSince, 2, 'probes that were taken do not count');
  outbox.put(scope('host', 'good again', ['a']), 4);
  while (client.step());
  t.is(outbox.behindSince, Number.POSITIVE_INFINITY);
});

test('outbox: a search ends when its resource is taken in another form', (t) => {
  const outbox = new Outbox();
  const client = clientOf(outbox);
  const keys = ['a', 'b', 'c', 'bad'];
  outbox.put(scope('host', keys.join(' '), keys), 1);
  client.step();
  outbox.put(scope('host', 'fixed', ['a', 'b', 'c']), 2);
  while (client.step());
  t.deepEqual(outbox.rejections.takeFound(), []);
  t.deepEqual([...client.held], [['host', 'fixed']]);
  t.true(client.sent.length <= 4, client.sent.join());
});

test('outbox: what changes and is rejected again while it is searched is searched once more', (t) => {
  const outbox = new Outbox();
  const client = clientOf(outbox);
  outbox.put(scope('host', 'a b bad1', ['a', 'b', 'bad1']), 1);
  client.step();
  outbox.put(scope('host', 'a b c bad1 bad2', ['a', 'b', 'c', 'bad1', 'bad2']), 2);
  while (client.step());
  const found = outbox.rejections.takeFound().map(({ origin }) => origin.key);
  t.deepEqual([...new Set(found)].sort(), ['bad1', 'bad2']);
  t.deepEqual([...client.held], []);
});

test('a probe is taken away when nothing is searched any more, also where none was ever taken', (t) => {
  const rejections = new Rejections();
  const provenance = provenanceOf(['good', 'bad'], (message) => (message === 'bad' ? ['bad'] : []));
  rejections.add({ ...fakeResource(typeUrls.scopedRoute, 'r', ''), provenance }, 'bad');
  const sent: string[] = [];
  while (rejections.waiting) {
    const batch = rejections.take(false);
    sent.push(
      ...(batch?.upserts ?? []).map(({ name }) => `+${name}`),
      ...(batch?.removed ?? []).map((name) => `-${name}`),
    );
    rejections.answered(batch?.upserts.length === 0 ? undefined : 'bad');
  }
  t.is(sent.at(-1), `-${probeName}`);
  t.is(sent.filter((name) => name.startsWith('-')).length, 1);
  t.deepEqual(keysOf(rejections.takeFound().map(({ origin, message }) => ({ key: origin.key, message }))), ['bad']);
});

test('what cannot be probed is judged by what the client names, of that by what changed, and else by either', (t) => {
  const words = new Map([
    ['fault', ['a', 'b']],
    ['page', ['c']],
  ]);
  const chain = (digests: Readonly<Record<string, bigint>>): Provenance => ({
    origins: () => Object.entries(digests).map(([key, digest]) => ({ kind: 'traffic', key, digest })),
    namedIn: (message) => words.get(message) ?? [],
  });
  const blamed = (message: string, taken?: Provenance) =>
    keysOf(search(chain({ a: 1n, b: 2n, c: 3n, d: 4n }), () => undefined, message, taken).causes);
  const before = chain({ a: 1n, b: 0n, c: 3n });
  t.deepEqual(blamed('fault', before), ['b'], 'named and changed');
  t.deepEqual(blamed('fault'), ['a', 'b'], 'named');
  t.deepEqual(blamed('page', before), ['c'], 'named, and all that is known');
  t.deepEqual(blamed('nothing', before), ['b', 'd'], 'changed');
  t.deepEqual(blamed('nothing'), ['a', 'b', 'c', 'd']);
});

test('what has another key than before, and the same content, is not suspected', (t) => {
  const chain = (digests: Readonly<Record<string, bigint>>): Provenance => ({
    origins: () => Object.entries(digests).map(([key, digest]) => ({ kind: 'access', key, digest })),
  });
  const now = chain({ 'a/policy listener x': 1n, 'a/policy listener y': 2n });
  t.deepEqual(keysOf(search(now, () => undefined, 'no', chain({ 'a/policy': 1n })).causes), ['a/policy listener y']);
});
