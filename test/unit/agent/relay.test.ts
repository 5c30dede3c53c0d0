import { create, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import { pino } from 'pino';
import { configVersionRecord } from '../../../src/agent/admin/records.ts';
import {
  type DeltaRequest,
  type DeltaResponse,
  decodeDeltaResponse,
  deltaRequest,
  type WireResource,
} from '../../../src/agent/relay/delta-messages.ts';
import { Relay } from '../../../src/agent/relay/relay.ts';
import { DeltaDiscoveryResponseSchema, packAny, SnapshotSchema, typeUrls } from '../../../src/envoy/index.ts';

/** A relay with both of its sides played by hand; what it sent since the last look is taken from `envoy` and `control`. */
class Played {
  now = new Date(1_000);
  readonly relay = new Relay({ logger: pino({ level: 'silent' }), now: () => this.now });
  #toEnvoy: DeltaResponse[] = [];
  #toControl: DeltaRequest[] = [];

  envoyJoins(): void {
    this.relay.envoyJoined((response) => this.#toEnvoy.push(response));
  }

  controlJoins(): void {
    this.relay.controlPlaneJoined((request) => this.#toControl.push(request));
  }

  ask(typeUrl: string, subscribe: readonly string[] = [], more: Partial<DeltaRequest> = {}): void {
    this.relay.envoyAsked(deltaRequest({ typeUrl, subscribe, ...more }), Uint8Array.of(1));
  }

  /** The control plane sends these resources, `name` or `name@version`; a `-` before a name removes it. */
  send(typeUrl: string, nonce: string, ...names: readonly string[]): void {
    this.relay.controlPlaneAnswered(response(typeUrl, nonce, names));
  }

  sendManifest(id: string, nonce: string): void {
    this.relay.controlPlaneAnswered(marker(id, nonce));
  }

  /** Envoy's view of what came: `type: resources, -removed`, and its nonces to answer with. */
  envoy(): { readonly got: readonly string[]; readonly nonces: readonly string[] } {
    const sent = this.#toEnvoy;
    this.#toEnvoy = [];
    const show = ({ typeUrl, resources, removed }: DeltaResponse) =>
      [
        short(typeUrl),
        ...resources.map(({ name, version }) => `${name}@${version}`),
        ...removed.map((n) => `-${n}`),
      ].join(' ');
    return { got: sent.map(show), nonces: sent.map(({ nonce }) => nonce) };
  }

  /** What the control plane got, as text. */
  control(): readonly string[] {
    const sent = this.#toControl;
    this.#toControl = [];
    return sent.map(showRequest);
  }

  /** Envoy takes everything that came since the last look. */
  acceptAll(): void {
    for (const { typeUrl, nonce } of this.#toEnvoy.splice(0)) this.relay.envoyAsked(deltaRequest({ typeUrl, nonce }));
  }

  /** Envoy rejects the one answer that came since the last look. */
  reject(message: string): void {
    const [{ typeUrl, nonce }] = this.#toEnvoy.splice(0) as [DeltaResponse];
    this.relay.envoyAsked(deltaRequest({ typeUrl, nonce, error: { code: 13, message } }));
  }
}

const { cluster, endpoint, extension, listener, route, scopedRoute, secret, snapshot } = typeUrls;

const short = (typeUrl: string): string => typeUrl.slice(typeUrl.lastIndexOf('.') + 1);

function showRequest({ typeUrl, node, subscribe, unsubscribe, initialVersions, nonce, error }: DeltaRequest): string {
  const parts = [node && 'node', short(typeUrl), ...subscribe.map((n) => `+${n}`), ...unsubscribe.map((n) => `-${n}`)];
  for (const [name, version] of initialVersions) parts.push(`${name}@${version}`);
  if (nonce !== '') parts.push(error ? `NACK ${nonce} ${error.message}` : `ACK ${nonce}`);
  return parts.filter((part) => part !== undefined).join(' ');
}

function response(typeUrl: string, nonce: string, names: readonly string[]): DeltaResponse {
  const resources: WireResource[] = names
    .filter((name) => !name.startsWith('-'))
    .map((each) => {
      const [name = '', version = '1'] = each.split('@');
      return { name, version, bytes: new Uint8Array() };
    });
  const removed = names.filter((name) => name.startsWith('-')).map((name) => name.slice(1));
  return { typeUrl, nonce, systemVersion: '', resources, removed };
}

function marker(id: string, nonce: string): DeltaResponse {
  const resource = packAny(SnapshotSchema, create(SnapshotSchema, { id }));
  const message = create(DeltaDiscoveryResponseSchema, {
    typeUrl: snapshot,
    nonce,
    resources: [{ name: 'snapshot', version: id, resource }],
  });
  return decodeDeltaResponse(toBinary(DeltaDiscoveryResponseSchema, message));
}

/** Both sides joined, one of each resource held, snapshot `s1` applied, all messages so far looked at. */
function inStep(): Played {
  const played = new Played();
  played.envoyJoins();
  played.ask(cluster);
  played.controlJoins();
  played.send(cluster, 'n1', 'c');
  played.ask(endpoint, ['c']);
  played.send(endpoint, 'n2', 'c');
  played.acceptAll();
  played.ask(listener);
  played.send(listener, 'n3', 'l');
  played.ask(route, ['r']);
  played.send(route, 'n4', 'r');
  played.ask(secret, ['missing']);
  played.send(secret, 'n5', '-missing');
  played.acceptAll();
  played.sendManifest('s1', 'n6');
  played.control();
  played.envoy();
  return played;
}

test('requests and answers pass through, each side with nonces of its own', (t) => {
  const played = new Played();
  played.envoyJoins();
  played.ask(cluster);
  t.deepEqual(played.control(), [], 'no control plane is connected yet');
  played.controlJoins();
  t.deepEqual(played.control(), ['node Cluster']);
  played.send(cluster, 'n1', 'c@7');
  const { got, nonces } = played.envoy();
  t.deepEqual(got, ['Cluster c@7']);
  played.ask(endpoint, ['c', 'd']);
  t.deepEqual(played.control(), ['ClusterLoadAssignment +c +d']);
  played.ask(cluster, [], { nonce: nonces[0] });
  t.deepEqual(played.control(), ['Cluster ACK n1']);
  played.ask(endpoint, ['e'], { unsubscribe: ['c'] });
  t.deepEqual(played.control(), ['ClusterLoadAssignment +e -c']);
  t.deepEqual(played.relay.lastAnswer, { status: 'ACK', version: '', nonce: 'n1' });
});

test('manifests are asked for after clusters and listeners, and applied when everything before is answered', (t) => {
  const played = new Played();
  played.envoyJoins();
  played.controlJoins();
  played.ask(cluster);
  played.ask(listener);
  played.send(cluster, 'n1');
  played.acceptAll();
  t.deepEqual(played.control(), ['node Cluster', 'Listener', 'Cluster ACK n1']);
  played.send(listener, 'n2', 'l');
  played.acceptAll();
  t.deepEqual(played.control(), ['Listener ACK n2', 'Snapshot']);
  played.ask(route, ['r']);
  played.send(route, 'n3', 'r');
  played.sendManifest('s1', 'n4');
  t.is(played.relay.applied, undefined);
  t.deepEqual(played.control(), ['RouteConfiguration +r']);
  played.acceptAll();
  t.deepEqual(played.control(), ['RouteConfiguration ACK n3', 'Snapshot ACK n4']);
  t.deepEqual(played.relay.applied, { id: 's1', appliedAt: new Date(1_000), nonce: 'n4' });
  t.deepEqual(played.relay.lastAnswer, { status: 'ACK', version: 's1', nonce: 'n4' });
});

test('a manifest without an id is rejected and applies nothing', (t) => {
  const played = inStep();
  played.sendManifest('', 'n9');
  t.deepEqual(played.control(), ['Snapshot NACK n9 the manifest snapshot names no snapshot']);
  t.is(played.relay.applied?.id, 's1');
});

test('the control plane comes back: it is asked for the same again, with what Envoy holds', (t) => {
  const played = inStep();
  played.relay.controlPlaneLeft();
  played.ask(secret, ['late']);
  t.deepEqual(played.control(), []);
  played.controlJoins();
  t.deepEqual(played.control(), [
    'node Cluster c@1',
    'ClusterLoadAssignment +c c@1',
    'Listener l@1',
    'RouteConfiguration +r r@1',
    'Secret +missing +late',
    'Snapshot snapshot@s1',
  ]);
  t.deepEqual(played.envoy().got, []);
});

test('an answer Envoy took after the control plane left is held and not reported', (t) => {
  const played = inStep();
  played.send(endpoint, 'n7', 'c@2');
  played.relay.controlPlaneLeft();
  played.acceptAll();
  played.controlJoins();
  t.true(played.control().includes('ClusterLoadAssignment +c c@2'));
});

for (const upstream of ['there', 'away'] as const) {
  test(`a new Envoy is answered at once from what is held, the control plane being ${upstream}`, (t) => {
    const played = inStep();
    if (upstream === 'away') played.relay.controlPlaneLeft();
    played.relay.envoyLeft();
    played.envoyJoins();
    played.ask(cluster);
    t.deepEqual(played.envoy().got, ['Cluster c@1']);
    played.ask(endpoint, ['c']);
    t.deepEqual(played.envoy().got, ['ClusterLoadAssignment c@1']);
    played.ask(listener);
    t.deepEqual(played.envoy().got, ['Listener l@1']);
    played.ask(route, ['r']);
    played.ask(secret, ['missing', 'new']);
    t.deepEqual(played.envoy().got, ['RouteConfiguration r@1', 'Secret -missing']);
    t.deepEqual(played.control(), upstream === 'there' ? ['Secret +new'] : []);
    t.is(played.relay.applied?.id, 's1');
  });
}

test('ACKs of what came from the agent itself are not passed on', (t) => {
  const played = inStep();
  played.relay.envoyLeft();
  played.envoyJoins();
  played.ask(cluster);
  played.acceptAll();
  t.deepEqual(played.control(), []);
});

test('an Envoy that was only cut off is sent the differences', (t) => {
  const played = inStep();
  played.relay.envoyLeft();
  played.envoyJoins();
  played.ask(cluster, [], { initialVersions: new Map([['c', '1']]) });
  t.deepEqual(played.envoy().got, []);
  played.ask(listener, [], {
    initialVersions: new Map([
      ['l', '0'],
      ['old', '1'],
    ]),
  });
  t.deepEqual(played.envoy().got, ['Listener l@1 -old']);
});

test('what comes while Envoy is away waits for it, after what was held', (t) => {
  const played = inStep();
  played.send(cluster, 'n7', 'c@2');
  t.deepEqual(played.envoy().got, ['Cluster c@2'], 'on its way when Envoy ends');
  played.relay.envoyLeft();
  played.send(endpoint, 'n8', 'c@2');
  played.sendManifest('s2', 'n9');
  t.is(played.relay.applied?.id, 's1');
  played.envoyJoins();
  t.deepEqual(played.envoy().got, []);
  played.ask(cluster);
  t.deepEqual(played.envoy().got, ['Cluster c@1', 'Cluster c@2']);
  played.ask(endpoint, ['c']);
  const { got, nonces } = played.envoy();
  t.deepEqual(got, ['ClusterLoadAssignment c@1', 'ClusterLoadAssignment c@2']);
  t.deepEqual(played.control(), []);
  played.ask(endpoint, [], { nonce: nonces[1] });
  t.deepEqual(played.control(), ['ClusterLoadAssignment ACK n8']);
});

/** A Secret is held; Envoy ends, and what `names` say of it comes before the next Envoy, which takes clusters and listeners only. */
function withUnusedSecret(...names: readonly string[]): Played {
  const played = inStep();
  played.ask(secret, ['s']);
  played.send(secret, 'n7', 's');
  played.acceptAll();
  played.control();
  played.relay.envoyLeft();
  played.send(listener, 'n8', '-l');
  played.send(secret, 'n9', ...names);
  played.sendManifest('s2', 'n10');
  played.envoyJoins();
  played.ask(cluster);
  played.ask(endpoint, ['c']);
  played.acceptAll();
  played.ask(listener);
  played.acceptAll();
  return played;
}

for (const name of ['-s', 's@2'])
  test(`a snapshot is applied though a new Envoy never asks for a Secret of the one before: ${name}`, (t) => {
    const played = withUnusedSecret(name);
    t.is(played.relay.applied?.id, 's2');
    t.deepEqual(played.control(), ['Listener ACK n8', 'Secret -missing -s ACK n9', 'Snapshot ACK n10']);
    t.true(played.relay.settled);
    played.ask(secret, ['s']);
    t.deepEqual(played.control(), ['Secret +s'], 'an Envoy that asks later gets it from the control plane');
    t.deepEqual(played.envoy().got, []);
    played.send(secret, 'n11', 's@3');
    t.deepEqual(played.envoy().got, ['Secret s@3']);
  });

test('scoped routes that a new Envoy asks for late are all asked for again', (t) => {
  const played = inStep();
  played.ask(scopedRoute);
  played.send(scopedRoute, 'n7', 'a', 'b');
  played.acceptAll();
  played.control();
  played.relay.envoyLeft();
  played.send(scopedRoute, 'n8', '-a');
  played.envoyJoins();
  played.ask(cluster);
  played.ask(listener);
  played.acceptAll();
  t.deepEqual(played.control(), ['ScopedRouteConfiguration -* ACK n8']);
  played.ask(scopedRoute);
  t.deepEqual(played.control(), ['ScopedRouteConfiguration +*']);
  t.deepEqual(played.envoy().got, []);
});

test('a removed resource is gone for a new Envoy, and known as missing to one that asks by name', (t) => {
  const played = inStep();
  played.send(listener, 'n7', '-l');
  played.send(route, 'n8', '-r');
  played.acceptAll();
  played.relay.envoyLeft();
  played.envoyJoins();
  played.ask(listener);
  played.ask(route, ['r']);
  t.deepEqual(played.envoy().got, ['Listener', 'RouteConfiguration -r']);
});

test('a name Envoy gave up is forgotten, and asked for again', (t) => {
  const played = inStep();
  played.ask(endpoint, [], { unsubscribe: ['c'] });
  played.ask(endpoint, ['c']);
  t.deepEqual(played.control(), ['ClusterLoadAssignment -c', 'ClusterLoadAssignment +c']);
  t.deepEqual(played.envoy().got, []);
});

test("a rejection is passed on in Envoy's words and stands until an answer of the type is taken", (t) => {
  const played = inStep();
  played.send(route, 'n7', 'r@bad');
  played.reject('no such thing');
  t.deepEqual(played.control(), ['RouteConfiguration NACK n7 no such thing']);
  t.deepEqual(played.relay.lastAnswer, { status: 'NACK', version: 's1', nonce: 'n7' });
  played.send(endpoint, 'n8', 'c@2');
  played.acceptAll();
  t.is(played.relay.lastAnswer?.status, 'NACK', 'another type was taken');
  played.send(route, 'n9', 'r@3');
  played.acceptAll();
  t.is(played.relay.lastAnswer?.status, 'ACK');
  t.like(played.relay.lastRejection, { typeUrl: route, message: 'no such thing', at: new Date(1_000) });
});

test('rejected routes are not held, rejected listeners are offered to a new Envoy: some may be in use', (t) => {
  const played = inStep();
  played.send(route, 'n7', 'r@bad');
  played.reject('bad');
  played.send(listener, 'n8', 'good', 'taken');
  played.reject('one of them');
  played.relay.envoyLeft();
  played.envoyJoins();
  played.ask(listener);
  played.ask(route, ['r']);
  t.deepEqual(played.envoy().got, ['Listener l@1', 'Listener good@1 taken@1', 'RouteConfiguration r@1']);
  played.relay.controlPlaneLeft();
  played.control();
  played.controlJoins();
  const opening = played.control().find((text) => text.startsWith('Listener'));
  t.is(opening, 'Listener l@1 good@ taken@', 'in no version: a control plane that has them sends them again');
});

/** Envoy has one version of the extension, and was sent another. */
function offered(name: string): Played {
  const played = inStep();
  played.ask(extension, [name]);
  played.send(extension, 'n6', `${name}@1`);
  played.acceptAll();
  played.send(extension, 'n7', `${name}@2`);
  return played;
}

test('an extension that Envoy rejected goes again behind what it has, or Envoy would acknowledge it and not take it', (t) => {
  const chain = 'auth/http/80';
  const played = offered(chain);
  played.reject('no');
  played.relay.controlPlaneLeft();
  t.deepEqual(played.envoy().got, [], 'requests may wait in it');
  played.control();
  played.controlJoins();
  t.true(played.control().includes(`TypedExtensionConfig +${chain} ${chain}@1`));
  played.send(extension, 'm1', `${chain}@2`);
  const { got, nonces } = played.envoy();
  t.deepEqual(got, [`TypedExtensionConfig ${chain}@1`, `TypedExtensionConfig ${chain}@2`]);
  played.ask(extension, [], { nonce: nonces[0] ?? '' });
  played.ask(extension, [], { nonce: nonces[1] ?? '', error: { code: 13, message: 'no' } });
  t.deepEqual(played.control(), ['TypedExtensionConfig NACK m1 no']);
  played.send(extension, 'm2', `${chain}@3`);
  t.deepEqual(played.envoy().got, [`TypedExtensionConfig ${chain}@3`]);
});

const list = 'lists/place/http/80';
const interrupted: Readonly<Record<string, (played: Played) => void>> = {
  'the control plane leaves before it has sent that': (played) => {
    played.reject('no');
    played.relay.controlPlaneLeft();
  },
  'the control plane left before': (played) => {
    played.relay.controlPlaneLeft();
    played.reject('no');
  },
  'its stream ended': (played) => {
    played.reject('no');
    played.relay.envoyLeft();
    played.envoyJoins();
    played.ask(extension, [list], { initialVersions: new Map([[list, '1']]) });
  },
};

for (const [what, interrupt] of Object.entries(interrupted))
  test(`a list of which Envoy rejected another version is sent as it has it, where ${what}`, (t) => {
    const played = offered(list);
    interrupt(played);
    t.deepEqual(played.envoy().got, [`TypedExtensionConfig ${list}@1`]);
  });

test('a control plane that comes back can remove what Envoy rejected in part, or put it back as it was', (t) => {
  const played = inStep();
  played.send(listener, 'n7', 'l@2', 'taken', 'beside');
  played.reject('taken: cannot bind');
  played.relay.controlPlaneLeft();
  played.control();
  played.controlJoins();
  t.true(played.control().includes('Listener l@? taken@ beside@'));
  played.send(listener, '1', 'l@1', '-taken', '-beside');
  t.deepEqual(played.envoy().got, ['Listener l@1 -taken -beside']);
});

test('what it removed is not named to the next control plane, nor offered to the next Envoy', (t) => {
  const played = inStep();
  played.send(listener, 'n7', 'taken', 'beside');
  played.reject('taken: cannot bind');
  played.relay.controlPlaneLeft();
  played.controlJoins();
  played.send(listener, '1', '-taken', '-beside');
  played.acceptAll();
  t.deepEqual([...played.relay.types.get(listener)!.held.rejected.keys()], []);
  played.relay.envoyLeft();
  played.envoyJoins();
  played.ask(listener);
  t.deepEqual(played.envoy().got, ['Listener l@1']);
});

test('what a new Envoy takes that the one before rejected is asked for again, for the control plane holds it back', (t) => {
  const played = inStep();
  played.send(listener, 'n8', 'bad');
  played.reject('no good');
  played.relay.envoyLeft();
  played.envoyJoins();
  played.control();
  played.ask(listener);
  played.acceptAll();
  t.true(
    played.control().some((text) => /^Listener \+?bad/.test(text)),
    'it is asked for by name',
  );
});

test("an answer that ends Envoy three times is rejected in Envoy's place", (t) => {
  const played = inStep();
  played.send(route, 'n7', 'r@deadly');
  for (let turn = 1; turn <= 3; turn += 1) {
    t.deepEqual(played.control(), []);
    played.relay.envoyLeft();
    played.envoyJoins();
    played.ask(route, ['r']);
  }
  t.deepEqual(played.control(), ['RouteConfiguration NACK n7 Envoy ended 3 times while it took this answer']);
  t.is(played.envoy().got.filter((text) => text.includes('deadly')).length, 3);
});

test('what Envoy rejected is reported until Envoy takes something newer; taking the former version again does not count', (t) => {
  const played = inStep();
  played.send(route, 'n7', 'r@bad');
  played.reject('no such cluster');
  t.is(played.relay.rejections.get(route)?.message, 'no such cluster');
  played.relay.envoyLeft();
  played.envoyJoins();
  played.ask(route, ['r']);
  played.acceptAll();
  t.is(played.relay.rejections.get(route)?.message, 'no such cluster');
  played.send(route, 'n8', 'r@good');
  played.acceptAll();
  t.is(played.relay.rejections.size, 0);
});

test('a stale nonce answers nothing', (t) => {
  const played = inStep();
  played.send(cluster, 'n7', 'c@2');
  played.ask(cluster, [], { nonce: 'never sent' });
  t.deepEqual(played.control(), []);
});

test('the configuration that is shown counts what Envoy has not answered, by type', (t) => {
  const played = new Played();
  played.envoyJoins();
  played.controlJoins();
  played.ask(cluster);
  played.send(cluster, '1', 'a', 'b');
  t.like(configVersionRecord(played.relay).types, { Cluster: { resources: 0, outstanding: 1 } });
  played.acceptAll();
  t.like(configVersionRecord(played.relay).types, { Cluster: { resources: 2, outstanding: 0 } });
});
