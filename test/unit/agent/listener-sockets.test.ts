import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import { readResource, resourceBody } from '../../../src/agent/relay/delta-messages.ts';
import type { IpFamily } from '../../../src/agent/relay/listener-family.ts';
import { ListenerSockets } from '../../../src/agent/relay/listener-sockets.ts';
import { ListenerSchema, packAny, ResourceSchema, SocketAddress_Protocol, typeUrls } from '../../../src/envoy/index.ts';

type Desired = MessageInitShape<typeof ListenerSchema>;

/** A listener as a control plane sends it. */
function sent(desired: Desired, name = 'http/80') {
  const listener = create(ListenerSchema, { name, statPrefix: 'kept', ...desired });
  const resource = create(ResourceSchema, { name, version: '7', resource: packAny(ListenerSchema, listener) });
  return readResource(toBinary(ResourceSchema, resource));
}

const answer = (...resources: ReturnType<typeof sent>[]) => ({
  typeUrl: typeUrls.listener,
  nonce: 'n1',
  systemVersion: 's1',
  resources,
  removed: [] as string[],
});

/** The one listener, as Envoy reads it. */
function received(sockets: ListenerSockets, desired: Desired) {
  const [resource] = sockets.keepSockets(answer(sent(desired))).resources;
  const { name, version } = fromBinary(ResourceSchema, resource?.bytes as Uint8Array);
  const body = resource && resourceBody(resource);
  return { name, version, listener: fromBinary(ListenerSchema, body as Uint8Array) };
}

const keepalive = (seconds: number) => ({ tcpKeepalive: { keepaliveTime: seconds } });
const timeOf = ({ listener }: ReturnType<typeof received>) => listener.tcpKeepalive?.keepaliveTime;

test('what says nothing of sockets, or the same as before, passes as it came', (t) => {
  for (const desired of [{}, keepalive(5), { enableReusePort: false }]) {
    const sockets = new ListenerSockets();
    const first = sent(desired);
    t.is(sockets.keepSockets(answer(first)).resources[0], first);
    const second = sent({ ...desired, statPrefix: 'other' });
    t.is(sockets.keepSockets(answer(second)).resources[0], second);
  }
});

test('with reusePort, listeners that bind without SO_REUSEPORT bind with it; others say what they said', (t) => {
  const sockets = new ListenerSockets({ reusePort: true });
  const { name, version, listener } = received(sockets, { enableReusePort: false, enableMptcp: true });
  t.like(listener, { name: 'http/80', statPrefix: 'kept', enableReusePort: true, enableMptcp: true });
  t.deepEqual([name, version], ['http/80', '7']);
  t.true(received(sockets, { enableReusePort: true }).listener.enableReusePort);
  // A listener within Envoy is rejected when it says anything of it.
  t.is(received(sockets, {}).listener.enableReusePort, undefined);
});

test('keepalive stays what Envoy was sent first, until the listener or the Envoy is gone', (t) => {
  const sockets = new ListenerSockets();
  t.is(timeOf(received(sockets, keepalive(5))), 5);
  t.is(timeOf(received(sockets, keepalive(6))), 5);
  t.is(timeOf(received(sockets, {})), 5);
  t.is(received(sockets, { statPrefix: 'changed' }).listener.statPrefix, 'changed');
  sockets.keepSockets({ ...answer(), removed: ['http/80'] });
  t.is(timeOf(received(sockets, {})), undefined);
  t.is(timeOf(received(sockets, keepalive(7))), undefined);
  sockets.forget();
  t.is(timeOf(received(sockets, keepalive(7))), 7);
});

test('what is no message is left to Envoy', (t) => {
  const garbage = { name: 'http/80', version: '1', bytes: Uint8Array.of(1) };
  t.is(new ListenerSockets({ reusePort: true }).keepSockets(answer(garbage)).resources[0], garbage);
});

test('each listener has its own', (t) => {
  const sockets = new ListenerSockets();
  sockets.keepSockets(answer(sent(keepalive(5), 'http/80'), sent(keepalive(9), 'http/90')));
  t.is(timeOf(received(sockets, keepalive(9))), 5);
});

const bound = (address: string, protocol = SocketAddress_Protocol.TCP) => ({
  address: {
    address: {
      case: 'socketAddress' as const,
      value: { address, protocol, portSpecifier: { case: 'portValue' as const, value: 80 } },
    },
  },
});
const addressesOf = ({ listener }: ReturnType<typeof received>) =>
  [listener.address, ...listener.additionalAddresses.map(({ address }) => address)].map((each) => {
    if (each?.address.case !== 'socketAddress') return [];
    const { address, portSpecifier, protocol } = each.address.value;
    return [address, portSpecifier.value, protocol];
  });

test('a listener for all of IPv4 is one for all of another family, or of both', (t) => {
  for (const protocol of [SocketAddress_Protocol.TCP, SocketAddress_Protocol.UDP]) {
    const of = (ipFamily?: IpFamily) =>
      addressesOf(received(new ListenerSockets(ipFamily && { ipFamily }), bound('0.0.0.0', protocol)));
    const [four, six] = [
      ['0.0.0.0', 80, protocol],
      ['::', 80, protocol],
    ];
    t.deepEqual([of(), of('IPv4'), of('IPv6'), of('DualStack')], [[four], [four], [six], [four, six]]);
  }
});

test('a listener for one address keeps it, and one within Envoy has none', (t) => {
  for (const ipFamily of ['IPv6', 'DualStack'] as const) {
    const sockets = new ListenerSockets({ ipFamily });
    for (const desired of [bound('127.0.0.1'), bound('::1'), bound('::'), { internalListener: {} } as Desired]) {
      const first = sent(desired);
      t.is(sockets.keepSockets(answer(first)).resources[0], first);
    }
  }
});

test('all that is said of sockets is put right together', (t) => {
  const sockets = new ListenerSockets({ reusePort: true, ipFamily: 'DualStack' });
  const got = received(sockets, { ...bound('0.0.0.0'), enableReusePort: false, ...keepalive(5) });
  t.is(addressesOf(got).length, 2);
  t.like(got.listener, { enableReusePort: true, statPrefix: 'kept', tcpKeepalive: { keepaliveTime: 5 } });
});
