import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import test from 'ava';
import { identifierMessage, withoutIdentifier } from '../../../src/agent/relay/log-messages.ts';
import {
  ClusterLoadAssignmentSchema,
  ListenerSchema,
  SocketAddress_Protocol,
  StreamAccessLogsMessageSchema,
} from '../../../src/envoy/index.ts';
import { addressesOfAssignment, addressOfListener } from '../../../src/envoy/wire/index.ts';

// What is read field by field, held against what the generated types write.

const socket = (address: string, portValue: number, protocol = SocketAddress_Protocol.TCP) => ({
  address: {
    case: 'socketAddress' as const,
    value: { address, protocol, portSpecifier: { case: 'portValue' as const, value: portValue } },
  },
});
const pipe = { address: { case: 'pipe' as const, value: { path: '/run/a.sock' } } };

test('addresses of listeners', (t) => {
  const read = (address: object) =>
    addressOfListener(toBinary(ListenerSchema, create(ListenerSchema, { name: 'a', address, statPrefix: 'b' })));
  t.deepEqual(read(socket('::', 53, SocketAddress_Protocol.UDP)), { host: '::', port: 53, udp: true });
  t.deepEqual(read(socket('127.0.0.1', 65535)), { host: '127.0.0.1', port: 65535, udp: false });
  t.is(read(pipe), undefined);
  t.is(addressOfListener(toBinary(ListenerSchema, create(ListenerSchema, { name: 'a' }))), undefined);
});

test('addresses of endpoints, in their order, over all localities', (t) => {
  const member = (address: object) => ({
    hostIdentifier: { case: 'endpoint' as const, value: { address, hostname: 'x' } },
    loadBalancingWeight: 3,
  });
  const bytes = toBinary(
    ClusterLoadAssignmentSchema,
    create(ClusterLoadAssignmentSchema, {
      clusterName: 'shop/cart/80',
      endpoints: [
        { locality: { zone: 'a' }, lbEndpoints: [member(socket('10.0.0.1', 80)), member(pipe)] },
        { locality: { zone: 'b' }, priority: 1, lbEndpoints: [member(socket('fd00::1', 81))] },
        {},
      ],
    }),
  );
  t.deepEqual(addressesOfAssignment(bytes), [
    { host: '10.0.0.1', port: 80, udp: false },
    { host: 'fd00::1', port: 81, udp: false },
  ]);
  t.deepEqual(addressesOfAssignment(new Uint8Array()), []);
});

test('what is no message is rejected', (t) => {
  const whole = toBinary(ListenerSchema, create(ListenerSchema, { address: socket('10.0.0.1', 80) }));
  t.throws(() => addressOfListener(whole.subarray(0, -1)));
  t.is(withoutIdentifier(Uint8Array.of(0xff, 0xff)), undefined);
});

test('a log message without its identifier has the rest, byte for byte', (t) => {
  const entries = { logEntries: { case: 'httpLogs' as const, value: { logEntry: [{ request: { path: '/a' } }] } } };
  const identifier = { logName: 'x', node: { id: 'n', cluster: 'c' } };
  const encode = (parts: object) =>
    toBinary(StreamAccessLogsMessageSchema, create(StreamAccessLogsMessageSchema, parts));
  t.deepEqual(withoutIdentifier(encode({ identifier, ...entries })), encode(entries));
});

test('the identifier of a call names node and Gateway', (t) => {
  const bytes = identifierMessage({ nodeId: 'edge-1', cluster: 'shop/edge' });
  const { identifier, logEntries } = fromBinary(StreamAccessLogsMessageSchema, bytes);
  t.is(identifier?.node?.id, 'edge-1');
  t.is(identifier?.node?.cluster, 'shop/edge');
  t.is(identifier?.logName, 'gatewright');
  t.is(logEntries.case, undefined);
});
