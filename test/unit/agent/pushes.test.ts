import test from 'ava';
import { type Push, Pushes } from '../../../src/agent/relay/pushes.ts';

const pushOf = (name: string, nonces: Pick<Push, 'upstreamNonce' | 'sentNonce'>): Push => ({
  answer: { resources: [{ name, version: '1', bytes: new Uint8Array() }], removed: [] },
  systemVersion: '',
  lost: 0,
  ...nonces,
});

const namesOf = (pushes: readonly Push[]) => pushes.flatMap(({ answer }) => answer.resources.map(({ name }) => name));

/** One of the control plane's that Envoy was sent, one that is parked, and one of the agent's own. */
function three() {
  const pushes = new Pushes();
  pushes.add(pushOf('sent', { upstreamNonce: 'u1', sentNonce: '1' }));
  pushes.add(pushOf('parked', { upstreamNonce: 'u2' }));
  pushes.add(pushOf('own', { sentNonce: '2' }));
  return pushes;
}

test('pushes: an answer of Envoy takes out what it answers, and nothing that is parked', (t) => {
  const pushes = three();
  t.is(pushes.takeSent(''), undefined);
  t.deepEqual(namesOf([pushes.takeSent('2') as Push]), ['own']);
  t.is(pushes.takeSent('2'), undefined);
  t.deepEqual(namesOf(pushes.parked), ['parked']);
  t.deepEqual(
    pushes.sentResources.map(({ name }) => name),
    ['sent'],
  );
  t.is(pushes.size, 2);
});

test("pushes: when Envoy's stream ends, what the control plane sent is parked, and what the agent made goes", (t) => {
  const pushes = three();
  t.deepEqual(pushes.envoyLeft(), []);
  t.deepEqual(namesOf(pushes.parked), ['sent', 'parked']);
  t.is(pushes.size, 2);
});

test("pushes: what Envoy's streams end over three times is given up, and not what was parked meanwhile", (t) => {
  const pushes = three();
  for (const nonce of ['3', '4']) {
    t.deepEqual(pushes.envoyLeft(), []);
    for (const push of pushes.parked) if (push.upstreamNonce === 'u1') push.sentNonce = nonce;
  }
  t.deepEqual(namesOf(pushes.envoyLeft()), ['sent']);
  t.deepEqual(namesOf(pushes.parked), ['parked']);
});

test("pushes: when the control plane's stream ends, what is parked goes, and nothing has a nonce of it", (t) => {
  const pushes = three();
  pushes.controlPlaneLeft();
  t.deepEqual(pushes.parked, []);
  const left = pushes.takeAll();
  t.deepEqual(namesOf(left), ['sent', 'own']);
  t.true(left.every(({ upstreamNonce }) => upstreamNonce === undefined));
  t.is(pushes.size, 0);
});
