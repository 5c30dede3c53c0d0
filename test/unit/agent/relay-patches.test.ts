import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import test from 'ava';
import { pino } from 'pino';
import {
  type DeltaRequest,
  type DeltaResponse,
  decodeDeltaResponse,
  deltaRequest,
} from '../../../src/agent/relay/delta-messages.ts';
import { Relay } from '../../../src/agent/relay/relay.ts';
import { DeltaDiscoveryResponseSchema, ResourceSchema, typeUrls } from '../../../src/envoy/index.ts';
import { bytesOfText } from '../../../src/std/memory/index.ts';
import type { EnvoyResource } from '../../../src/translate/index.ts';
import { Patches } from '../../../src/xds/session/patches.ts';
import { fakeResource } from '../../support/xds.ts';

const { endpoint } = typeUrls;

const long = (changed: string) =>
  fakeResource(
    endpoint,
    'c',
    Array.from({ length: 500 }, (_, at) => `${at === 250 ? changed : at} of a long list; `).join(''),
  );

const answer = (nonce: string, ...resources: readonly EnvoyResource[]): DeltaResponse => {
  const message = create(DeltaDiscoveryResponseSchema, {
    typeUrl: endpoint,
    nonce,
    resources: resources.map(({ name, version, typeUrl, body }) => ({
      name,
      version,
      resource: { typeUrl, value: bytesOfText(body) },
    })),
  });
  return decodeDeltaResponse(toBinary(DeltaDiscoveryResponseSchema, message));
};

const patches = new Patches();
const patchOf = (before: EnvoyResource, after: EnvoyResource) => patches.between(before, after) ?? after;

/** A relay whose Envoy has asked for `c`; what both sides were sent. */
function played() {
  const relay = new Relay({ logger: pino({ level: 'silent' }), now: () => new Date(0) });
  const envoy: DeltaResponse[] = [];
  const control: DeltaRequest[] = [];
  relay.envoyJoined((response) => envoy.push(response));
  relay.envoyAsked(deltaRequest({ typeUrl: endpoint, subscribe: ['c'] }), Uint8Array.of());
  relay.controlPlaneJoined((request) => control.push(request));
  const last = () => envoy.at(-1)!;
  const answerLast = (error?: string) =>
    relay.envoyAsked(
      deltaRequest({ typeUrl: endpoint, nonce: last().nonce, ...(error && { error: { code: 13, message: error } }) }),
    );
  return { relay, control, last, answerLast, takes: () => answerLast() };
}

/** What Envoy got, by version and text. */
const shown = ({ resources }: DeltaResponse) =>
  resources.map(({ bytes }) => {
    const { name, version, resource } = fromBinary(ResourceSchema, bytes);
    return { name, version, typeUrl: resource?.typeUrl, text: Buffer.from(resource?.value ?? []).toString() };
  });

const asWhole = ({ name, version, typeUrl, body: text }: EnvoyResource) => [{ name, version, typeUrl, text }];

test('Envoy gets endpoints whole, of which the control plane sends what differs', (t) => {
  const { relay, last, takes, control } = played();
  relay.controlPlaneAnswered(answer('1', long('one')));
  takes();
  const patch = patchOf(long('one'), long('two'));
  t.true(patch.body.length < 200);
  relay.controlPlaneAnswered(answer('2', patch));
  t.deepEqual(shown(last()), asWhole(long('two')));
  takes();
  relay.controlPlaneAnswered(answer('3', patchOf(long('two'), long('three'))));
  t.deepEqual(shown(last()), asWhole(long('three')));
  takes();
  t.deepEqual(
    control.map(({ subscribe, nonce }) => [...subscribe, nonce].join(' ')),
    ['c ', '1', '2', '3'],
  );
});

test('a patch of what Envoy rejected is put together, too', (t) => {
  const { relay, last, answerLast } = played();
  relay.controlPlaneAnswered(answer('1', long('one')));
  answerLast('no');
  relay.controlPlaneAnswered(answer('2', patchOf(long('one'), long('two'))));
  t.deepEqual(shown(last()), asWhole(long('two')));
});

test('a patch of what is not held is not sent to Envoy: the control plane is asked for the whole', (t) => {
  const { relay, last, takes, control } = played();
  relay.controlPlaneAnswered(answer('1', long('one')));
  takes();
  control.length = 0;
  const other = fakeResource(endpoint, 'd', 'short');
  relay.controlPlaneAnswered(answer('2', patchOf(long('never sent'), long('two')), other));
  t.deepEqual(
    shown(last()).map(({ name }) => name),
    ['d'],
  );
  t.deepEqual(
    control.map(({ subscribe }) => subscribe),
    [['c']],
  );
  relay.controlPlaneAnswered(answer('3', long('two')));
  t.deepEqual(shown(last()), asWhole(long('two')));
});

test('nothing is asked for that Envoy gave up meanwhile', (t) => {
  const { relay, last, takes, control } = played();
  relay.controlPlaneAnswered(answer('1', long('one')));
  takes();
  relay.envoyAsked(deltaRequest({ typeUrl: endpoint, unsubscribe: ['c'] }));
  control.length = 0;
  relay.controlPlaneAnswered(answer('2', patchOf(long('one'), long('two'))));
  t.deepEqual([shown(last()), control], [[], []]);
});

test('a patch that copies more than there is throws, which ends the stream', (t) => {
  const { relay, takes } = played();
  relay.controlPlaneAnswered(answer('1', long('one')));
  takes();
  const patch = patchOf(long('one'), long('two'));
  const beyond = new BinaryWriter().tag(1, 2).string(long('one').version).tag(2, 2).fork();
  beyond.tag(1, 0).uint32(1).tag(2, 0).uint32(1_000_000).join();
  const body = Buffer.from(beyond.finish()).toString('latin1');
  t.throws(() => relay.controlPlaneAnswered(answer('2', { ...patch, body })), { message: /copies up to byte 1000001/ });
});
