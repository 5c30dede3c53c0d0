import test from 'ava';
import { typeUrls } from '../../../src/envoy/index.ts';
import { InFlight, type Purpose } from '../../../src/xds/session/in-flight.ts';
import { fakeResource } from '../../support/xds.ts';

const never = Number.POSITIVE_INFINITY;

const batchOf = (...names: string[]) => ({
  upserts: names.map((name) => fakeResource(typeUrls.cluster, name, name)),
  removed: [],
});

const send = (inFlight: InFlight, purpose: Purpose, since?: number) => {
  inFlight.take(purpose, since);
  inFlight.sent({ nonce: '1', snapshot: 's', batch: batchOf('a', 'b'), sentAtMs: 0 });
};

test('in flight: a client is behind from when a change is taken out until it takes it', (t) => {
  const inFlight = new InFlight();
  inFlight.take('news', 3);
  t.is(inFlight.since, 3);
  t.false(inFlight.is('news'), 'it was not sent yet');
  inFlight.sent({ nonce: '1', snapshot: 's', batch: batchOf('a'), sentAtMs: 0 });
  t.true(inFlight.is('news'));
  t.is(inFlight.answered().nonce, '1');
  t.false(inFlight.is('news'));
  t.is(inFlight.since, 3);
  inFlight.accepted();
  t.is(inFlight.since, never);
  t.throws(() => inFlight.answered(), { message: /nothing was sent/ });
});

test('in flight: a client is behind until it has answered all parts of what it rejected', (t) => {
  const inFlight = new InFlight();
  send(inFlight, 'news', 3);
  inFlight.answered();
  inFlight.rejected([batchOf('a'), batchOf('b')]);
  const since = ['a', 'b'].map((name) => {
    const retry = inFlight.retries.take({ isStale: () => false, offer: (resource) => resource });
    t.deepEqual(retry, batchOf(name));
    send(inFlight, 'retry');
    inFlight.answered();
    inFlight.accepted();
    return inFlight.since;
  });
  t.deepEqual(since, [3, never]);
});

test('in flight: the answer to a probe or a renewal says nothing of what the client is to have', (t) => {
  const inFlight = new InFlight();
  send(inFlight, 'news', 3);
  inFlight.answered();
  inFlight.rejected([batchOf('a')]);
  for (const purpose of ['probe', 'renewal'] as const) {
    send(inFlight, purpose);
    t.true(inFlight.is(purpose));
    inFlight.answered();
    t.is(inFlight.since, 3);
  }
});
