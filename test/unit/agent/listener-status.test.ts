import { create, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import { pino } from 'pino';
import { listenerStatuses } from '../../../src/agent/listener-status.ts';
import { type DeltaResponse, decodeDeltaResponse, deltaRequest } from '../../../src/agent/relay/delta-messages.ts';
import { Relay } from '../../../src/agent/relay/relay.ts';
import { probeListener } from '../../../src/contracts/index.ts';
import { DeltaDiscoveryResponseSchema, typeUrls } from '../../../src/envoy/index.ts';
import { bytesOfText } from '../../../src/std/memory/index.ts';
import { httpListener } from '../../support/agent-resources.ts';

/** Those that begin with `-` are removed. */
function listeners(nonce: string, ...names: readonly string[]): DeltaResponse {
  const removedResources = names.flatMap((name) => (name.startsWith('-') ? [name.slice(1)] : []));
  const resources = names
    .filter((name) => !name.startsWith('-'))
    .map((name) => {
      const { version, body } = httpListener(8080, name);
      return { name, version, resource: { typeUrl: typeUrls.listener, value: bytesOfText(body) } };
    });
  const message = create(DeltaDiscoveryResponseSchema, {
    typeUrl: typeUrls.listener,
    nonce,
    resources,
    removedResources,
  });
  return decodeDeltaResponse(toBinary(DeltaDiscoveryResponseSchema, message));
}

test('held, rejected and still open listeners, with what their names say', (t) => {
  const relay = new Relay({ logger: pino({ level: 'silent' }), now: () => new Date(0) });
  const nonces: string[] = [];
  relay.envoyJoined(({ nonce }) => nonces.push(nonce));
  relay.envoyAsked(deltaRequest({ typeUrl: typeUrls.listener }), Uint8Array.of());
  relay.controlPlaneJoined(() => undefined);
  relay.controlPlaneAnswered(listeners('a', 'http/80', 'http/8080', 'https/443'));
  relay.envoyAsked(deltaRequest({ typeUrl: typeUrls.listener, nonce: nonces[0] }));
  // Envoy accepts removals beside what it rejects; and a canary is no user's listener.
  relay.controlPlaneAnswered(listeners('b', 'tcp/5432', probeListener, '-http/8080'));
  const error = { code: 13, message: 'cannot bind' };
  relay.envoyAsked(deltaRequest({ typeUrl: typeUrls.listener, nonce: nonces[1], error }));
  const open = [
    { name: 'https/443', addresses: ['0.0.0.0:443'] },
    { name: 'going', addresses: ['[::]:53'] },
  ];
  t.deepEqual(listenerStatuses(relay, open), [
    { name: 'going', address: '[::]:53', protocol: 'TCP', active: true },
    { name: 'http/80', address: '127.0.0.1:8080', protocol: 'HTTP', active: false },
    { name: 'https/443', address: '0.0.0.0:443', protocol: 'HTTPS', active: true },
    { name: 'tcp/5432', address: '127.0.0.1:8080', protocol: 'TCP', active: false },
  ]);
});
