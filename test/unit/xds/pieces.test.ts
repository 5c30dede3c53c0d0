import test from 'ava';
import { guardStopCount, guardsName, piecesOf, wholeOf } from '../../../src/contracts/index.ts';
import { typeUrls } from '../../../src/envoy/index.ts';
import { Pieces } from '../../../src/xds/session/pieces.ts';
import type { SessionRequest } from '../../../src/xds/session/session-request.ts';

/** What clients ask for of a resource that is sent in pieces, and what sessions make of it. */

const whole = guardsName('http/80');
const pieces = piecesOf(whole);
const all = [...pieces, whole];
const chain = 'auth/http/80';

const request = (parts: Partial<SessionRequest>): SessionRequest => ({
  typeUrl: typeUrls.extension,
  nonce: '',
  subscribe: [],
  unsubscribe: [],
  initialVersions: new Map(),
  ...parts,
});

test('names: each piece leads to its resource, and nothing else does', (t) => {
  t.is(pieces.length, guardStopCount);
  t.deepEqual([...new Set(pieces.map(wholeOf))], [whole]);
  const others = [whole, chain, 'lists/gatewright.guards.0/http/80', `lists/gatewright.guards.${guardStopCount + 1}/x`];
  for (const name of [...others, 'lists/gatewright.guards.1', 'lists/gatewright.rt.limits/http/80'])
    t.is(wholeOf(name), undefined, name);
  t.deepEqual(piecesOf(chain), []);
});

test('delta: a client asks for the resource with the last of its pieces, and again with each that it repeats', (t) => {
  const client = new Pieces();
  const [last = '', ...first] = all;
  t.deepEqual(client.inDelta(request({ subscribe: [...first, chain] })).subscribe, [chain]);
  t.deepEqual(client.inDelta(request({ subscribe: [last] })).subscribe, [whole]);
  t.deepEqual(client.inDelta(request({ subscribe: [first[3] as string] })).subscribe, [whole]);
  t.is(client.held.names, all.length);
  t.is(
    client.held.text,
    all.reduce((sum, { length }) => sum + length, 0),
  );
});

test('delta: a client gives the resource up with the first of its pieces, once', (t) => {
  const client = new Pieces();
  client.inDelta(request({ subscribe: all }));
  const [first = '', ...others] = all;
  t.deepEqual(client.inDelta(request({ unsubscribe: [first, chain] })).unsubscribe, [chain, whole]);
  t.deepEqual(client.inDelta(request({ unsubscribe: others })).unsubscribe, []);
  t.deepEqual(client.held, { names: 0, text: 0 });
  t.deepEqual(client.inDelta(request({ subscribe: [first] })).subscribe, []);
});

test('a client has the resource from an earlier stream if it has all of its pieces', (t) => {
  const versions = (names: readonly string[]) => new Map(names.map((name) => [name, 'v']));
  for (const asked of ['inDelta', 'inSotw'] as const) {
    const has = (names: readonly string[]) => [
      ...new Pieces()[asked](request({ initialVersions: versions(names) })).initialVersions.keys(),
    ];
    t.deepEqual(has([chain, ...all]), [chain, whole]);
    t.deepEqual(has([chain, ...all.slice(1)]), [chain]);
    t.deepEqual(has(pieces), []);
  }
});

test('state of the world: the resource is asked for where all of its pieces are', (t) => {
  const client = new Pieces();
  t.deepEqual(client.inSotw(request({ subscribe: [chain, ...all] })).subscribe, [chain, whole]);
  t.deepEqual(client.inSotw(request({ subscribe: [chain, ...all.slice(1)] })).subscribe, [chain]);
});

test('of other types, such names are only names', (t) => {
  const asked = request({ typeUrl: typeUrls.cluster, subscribe: [whole], unsubscribe: pieces });
  t.is(new Pieces().inDelta(asked), asked);
  t.is(new Pieces().inSotw(asked), asked);
});
