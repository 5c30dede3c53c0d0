import test from 'ava';
import { typeUrls } from '../../../src/envoy/index.ts';
import { isAppliedInPart, splitRejected, wordsOf } from '../../../src/xds/rejections/split-rejected.ts';
import { listenAddresses } from '../../../src/xds/server/listen-addresses.ts';
import { PumpQueue } from '../../../src/xds/server/pump-queue.ts';
import { AckOutcome } from '../../../src/xds/session/ack-outcome.ts';
import { Outbox } from '../../../src/xds/session/outbox.ts';
import { ResourceGroup, type SnapshotVersion } from '../../../src/xds/session/resource-group.ts';
import { Subscription } from '../../../src/xds/session/subscription.ts';
import { View } from '../../../src/xds/session/view.ts';
import { fakeResource } from '../../support/xds.ts';

const cds = (name: string, text = name) => fakeResource(typeUrls.cluster, name, text);
const snapshotVersion = (epoch: number): SnapshotVersion => ({
  epoch,
  marker: { id: `s${epoch}`, generatedAt: new Date(0), gateways: 0, listeners: 0, routes: 0, backends: 0 },
  resource: cds('unused'),
});

test('ack outcome: the newest edition that the client has in full, and never one before its time', (t) => {
  const ackOutcome = new AckOutcome();
  for (const epoch of [1, 2, 3]) ackOutcome.finished(snapshotVersion(epoch));
  t.is(ackOutcome.resolve(1), undefined);
  t.is(ackOutcome.resolve(3)?.epoch, 2);
  t.is(ackOutcome.resolve(3), undefined, 'once');
  ackOutcome.finished(snapshotVersion(2));
  t.is(ackOutcome.resolve(Number.POSITIVE_INFINITY)?.epoch, 3);
});

test('ack outcome: a client that lags far behind still gets the oldest and the newest', (t) => {
  const ackOutcome = new AckOutcome();
  for (let epoch = 1; epoch <= 1_000; epoch++) ackOutcome.finished(snapshotVersion(epoch));
  t.is(ackOutcome.resolve(2)?.epoch, 1);
  t.is(ackOutcome.resolve(Number.POSITIVE_INFINITY)?.epoch, 1_000);
});

test('ack outcome: a further type opens the current edition again', (t) => {
  const ackOutcome = new AckOutcome();
  ackOutcome.finished(snapshotVersion(4));
  ackOutcome.reopen(5);
  t.is(ackOutcome.resolve(Number.POSITIVE_INFINITY), undefined);
  ackOutcome.finished(snapshotVersion(5));
  t.is(ackOutcome.resolve(Number.POSITIVE_INFINITY)?.epoch, 5);
});

test('outbox: a filter chain that may be rejected goes by itself, so that a NACK says whose it is', (t) => {
  const outbox = new Outbox();
  const chain = (name: string) => fakeResource(typeUrls.extension, name, name);
  const guarded = (name: string) => ({ ...chain(name), provenance: { origins: () => [], without: () => undefined } });
  const all = [chain('access/a'), guarded('traffic/a'), guarded('access/b'), chain('traffic/b'), chain('stream/c')];
  for (const resource of all) outbox.put(resource, 1);
  const sent: string[][] = [];
  while (outbox.ready) {
    const batch = outbox.take(1_000_000);
    sent.push(batch.upserts.map(({ name }) => name));
    outbox.inFlight.sent({ nonce: String(sent.length), snapshot: 's', batch, sentAtMs: 0 });
    outbox.accept();
  }
  t.deepEqual(sent, [['access/a'], ['traffic/a'], ['access/b'], ['traffic/b', 'stream/c']]);
});

test('rejected: one alone is at fault, and what was removed beside it is removed without it', (t) => {
  const bad = cds('bad');
  t.deepEqual(splitRejected({ upserts: [bad], removed: ['x'] }, 'no', false), {
    rejected: [bad],
    applied: [],
    retries: [{ upserts: [], removed: ['x'] }],
  });
  t.deepEqual(splitRejected({ upserts: [bad], removed: ['x'] }, 'no', true).retries, []);
  t.deepEqual(splitRejected({ upserts: [], removed: ['x'] }, 'no', false), { rejected: [], applied: [], retries: [] });
});

test('rejected: names are compared as a whole', (t) => {
  const [web80, web8080, other] = [cds('ns/web/80'), cds('ns/web/8080'), cds('ns/web')];
  const verdict = splitRejected(
    { upserts: [web80, web8080, other], removed: [] },
    "cluster(s) ns/web/8080: bad 'x'",
    true,
  );
  t.deepEqual(verdict, { rejected: [web8080], applied: [web80, other], retries: [] });
});

test('rejected: behind the cut of a long message others may be named, and are sent again', (t) => {
  const [first, second, cutOff] = [cds('ns/a/80'), cds('ns/b/80'), cds('ns/web/80')];
  const verdict = splitRejected(
    { upserts: [first, second, cutOff], removed: ['x'] },
    'ns/a/80: long\nns/web/80...(truncated)',
    true,
  );
  t.deepEqual(verdict, { rejected: [first], applied: [], retries: [{ upserts: [second, cutOff], removed: [] }] });
});

test('rejected: a response with what its definition does not allow is rejected as a whole, whichever resource it names', (t) => {
  t.true(isAppliedInPart('Error adding/updating cluster(s) ns/web/80: Proto constraint validation failed (…)'));
  t.false(isAppliedInPart('goo.gle/debugonly name: "ns/web/80" … : Proto constraint validation failed (…)'));
});

test('rejected: what a message says of one of several', (t) => {
  const message =
    'Error adding/updating listener(s) http/80: cannot bind\nhttps/443: bad chain\nhttp/8080: http/80: worse\n';
  const names = ['https/443', 'http/80', 'http/8080'];
  t.deepEqual(names.map(wordsOf(names, message)), [
    'https/443: bad chain',
    'http/80: cannot bind',
    'http/8080: http/80: worse',
  ]);
  t.is(wordsOf(names, message)('tcp/1'), message);
});

test('rejected: all named is as good as none named', (t) => {
  const upserts = [cds('a'), cds('b'), cds('c')];
  const { retries } = splitRejected({ upserts, removed: ['x'] }, 'a, b and c conflict', false);
  t.deepEqual(
    retries.map((batch) => batch.upserts.length),
    [2, 1],
  );
  t.deepEqual(
    retries.flatMap(({ removed }) => removed),
    ['x'],
  );
});

test('outbox: behind from the first unsent change until its acknowledgement', (t) => {
  const outbox = new Outbox();
  t.is(outbox.behindSince, Number.POSITIVE_INFINITY);
  outbox.put(cds('a', '1'), 3);
  outbox.put(cds('a', '2'), 5);
  t.is(outbox.behindSince, 3);
  const batch = outbox.take(1_000);
  t.is(batch.upserts[0]!.body, '2');
  outbox.inFlight.sent({ nonce: '1', snapshot: 's', batch, sentAtMs: 0 });
  outbox.put(cds('a', '3'), 7);
  t.is(outbox.behindSince, 3);
  outbox.accept();
  t.is(outbox.behindSince, 7);
  outbox.forget('a');
  t.is(outbox.behindSince, Number.POSITIVE_INFINITY);
  t.true(outbox.quiet);
});

test('outbox: behind for as long as something is rejected', (t) => {
  const outbox = new Outbox();
  const send = () => outbox.inFlight.sent({ nonce: '1', snapshot: 's', batch: outbox.take(1_000), sentAtMs: 0 });
  outbox.put(cds('a', 'bad'), 2);
  send();
  outbox.reject('no', false);
  t.is(outbox.behindSince, 2);
  outbox.put(cds('a', 'bad'), 4);
  t.true(outbox.quiet, 'not again');
  outbox.put(cds('a', 'good'), 6);
  send();
  outbox.accept();
  t.is(outbox.behindSince, Number.POSITIVE_INFINITY);
});

test('outbox: what changed since is not repeated from a rejected batch', (t) => {
  const outbox = new Outbox();
  outbox.put(cds('a', '1'), 1);
  outbox.put(cds('b', '1'), 1);
  outbox.inFlight.sent({ nonce: '1', snapshot: 's', batch: outbox.take(1_000), sentAtMs: 0 });
  outbox.put(cds('a', '2'), 2);
  outbox.reject('who knows', false);
  const sent: string[] = [];
  while (outbox.ready) {
    const batch = outbox.take(1_000);
    sent.push(...batch.upserts.map(({ name, body }) => `${name}${body}`));
    outbox.inFlight.sent({ nonce: '1', snapshot: 's', batch, sentAtMs: 0 });
    outbox.accept();
  }
  t.deepEqual(sent.sort(), ['a2', 'b1']);
});

test('outbox: what clusters lead to goes by itself, and what has gone lingers', (t) => {
  const outbox = new Outbox({ isInner: (name) => name.startsWith('ai/') });
  const send = () => {
    const batch = outbox.take(1_000);
    outbox.inFlight.sent({ nonce: '1', snapshot: 's', batch, sentAtMs: 0 });
    return [...batch.upserts.map(({ name }) => name), ...batch.removed];
  };
  outbox.put(cds('http/80', '1'), 1);
  outbox.put(cds('ai/a', '1'), 1);
  t.true(outbox.innerReady);
  t.deepEqual(send(), ['ai/a']);
  t.false(outbox.innerReady);
  t.false(outbox.innerQuiet, 'not answered yet');
  outbox.accept();
  t.true(outbox.innerQuiet);
  t.deepEqual(send(), ['http/80']);
  t.true(outbox.innerQuiet, 'is nothing of it');
  outbox.accept();
  outbox.put({ ...cds('front', '1'), continues: true }, 1);
  outbox.put(cds('behind', '1'), 1);
  t.deepEqual(send(), ['behind', 'front']);
  outbox.accept();

  outbox.linger('ai/a');
  t.true(outbox.quiet);
  t.false(outbox.removals.holdsAny);
  t.false(outbox.releaseLingering({ nowMs: 1_000, lingerMs: 5_000, since: 2 }), 'its time begins');
  t.false(outbox.releaseLingering({ nowMs: 5_999, lingerMs: 5_000, since: 2 }));
  t.true(outbox.releaseLingering({ nowMs: 6_000, lingerMs: 5_000, since: 2 }));
  t.deepEqual(send(), ['ai/a']);
  outbox.accept();

  outbox.linger('ai/b');
  outbox.releaseLingering({ nowMs: 10_000, lingerMs: 5_000, since: 3 });
  outbox.put(cds('ai/b', '2'), 3);
  t.deepEqual(send(), ['ai/b'], 'there again');
  outbox.accept();
  t.false(outbox.releaseLingering({ nowMs: 90_000, lingerMs: 5_000, since: 4 }));

  for (let n = 0; n < 70; n++) outbox.linger(`ai/${n}`);
  t.true(outbox.releaseLingering({ nowMs: 91_000, lingerMs: 5_000, since: 5 }), 'the oldest, of too many');
  t.deepEqual(send().sort(), ['ai/0', 'ai/1', 'ai/2', 'ai/3', 'ai/4', 'ai/5']);
  outbox.accept();

  for (let n = 0; n < 70; n++) outbox.linger(`ai/needed-${n}`);
  const isNeeded = (name: string) => name.startsWith('ai/needed');
  t.false(
    outbox.releaseLingering({ nowMs: 91_000, lingerMs: 5_000, since: 6, isNeeded }),
    'needed ones are not too many',
  );
  t.true(outbox.releaseLingering({ nowMs: 96_000, lingerMs: 5_000, since: 6, isNeeded }));
  t.is(send().length, 64, 'the others are due');
  outbox.accept();
  t.true(outbox.releaseLingering({ nowMs: 96_000, lingerMs: 5_000, since: 6 }), 'needed no more');
  t.is(send().length, 70);
});

test('group: its sizes follow each change, and end with it', (t) => {
  const group = new ResourceGroup('g');
  const apply = (epoch: number, change: object) =>
    group.apply({ gateway: 'g', upserts: [], removals: [], ...change }, epoch, undefined);
  const cluster = () => [...group.sizes()].find(({ typeUrl }) => typeUrl === typeUrls.cluster);
  apply(1, { upserts: [cds('a', '1'), cds('b', '333'), cds('b', '333')] });
  t.like(cluster(), { resources: 2, bytes: 4 });
  apply(2, { upserts: [cds('a', '22')], removals: [cds('b'), cds('never was')] });
  t.like(cluster(), { resources: 1, bytes: 2 });
  apply(3, { gone: true });
  t.is(cluster(), undefined);
  apply(4, { upserts: [cds('a', '4')] });
  t.like(cluster(), { resources: 1, bytes: 1 });
});

test('view: stays as it was, while the group moves on', (t) => {
  const group = new ResourceGroup('g');
  const apply = (epoch: number, change: object) =>
    group.apply({ gateway: 'g', upserts: [], removals: [], ...change }, epoch, undefined);
  apply(1, { upserts: [cds('a', '1'), cds('b', '1'), cds('c', '1')] });
  const view = new View(group, snapshotVersion(1));
  group.join({ changed: (change) => view.note(change) });
  apply(2, { upserts: [cds('a', '2'), cds('new')], removals: [{ typeUrl: typeUrls.cluster, name: 'b' }] });
  apply(3, { upserts: [cds('a', '3')] });
  const texts = [...view.resources(typeUrls.cluster)].map(({ name, body }) => `${name}${body}`);
  t.deepEqual(texts.sort(), ['a1', 'b1', 'c1']);
  t.is(view.find(typeUrls.cluster, 'new'), undefined);
  t.is(view.find(typeUrls.cluster, 'a')?.version, cds('a', '1').version);
  t.is(view.findNewest(typeUrls.cluster, 'a')?.version, cds('a', '3').version);
  t.is(view.findNewest(typeUrls.cluster, 'b')?.version, cds('b', '1').version, 'gone, but known');
});

test('subscription: legacy wildcard of the state-of-the-world protocol', (t) => {
  const subscription = new Subscription();
  t.deepEqual(subscription.applySotw([], true), { everything: true, names: [], dropped: [] });
  t.deepEqual(subscription.applySotw([], true), { everything: false, names: [], dropped: [] });
  t.true(subscription.wildcard);
  t.deepEqual(subscription.applySotw(['a'], true), { everything: false, names: ['a'], dropped: [] });
  t.false(subscription.wildcard);
  t.deepEqual(subscription.applySotw([], true), { everything: false, names: [], dropped: ['a'] });
  t.false(subscription.wildcard, 'none is none, once names were given');
});

test('pump queue: what is urgent goes first, and no entry goes twice', async (t) => {
  const queue = new PumpQueue();
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const pump = (name: string) => ({ pump: () => void order.push(name) });
  const both = pump('both');
  const idle = Array.from({ length: 50 }, (_, at) => pump(`idle${at}`));
  for (const one of idle) queue.idle(one);
  queue.idle(both);
  queue.urgent(both);
  queue.urgent(pump('urgent'));
  queue.idle({ pump: resolve });
  await promise;
  t.deepEqual(order.slice(0, 2), ['both', 'urgent']);
  t.is(order.length, 52);
  queue.stop();
});

test('pump queue: who goes on is pumped at once, but behind those that have not begun', async (t) => {
  const queue = new PumpQueue();
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const goesOn = { pump: () => void order.push('goes on') };
  queue.inTurn(goesOn);
  t.deepEqual(order, ['goes on']);
  queue.urgent({ pump: () => void order.push('begins') });
  queue.inTurn(goesOn);
  queue.inTurn({ pump: resolve });
  await promise;
  t.deepEqual(order, ['goes on', 'begins', 'goes on']);
  queue.stop();
});

test('listen addresses', (t) => {
  t.deepEqual(listenAddresses(':18080'), ['[::]:18080', '0.0.0.0:18080']);
  t.deepEqual(listenAddresses('127.0.0.1:0'), ['127.0.0.1:0']);
  t.deepEqual(listenAddresses('unix:/run/x.sock'), ['unix:/run/x.sock']);
});
