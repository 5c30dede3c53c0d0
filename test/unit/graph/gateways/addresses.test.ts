import test from 'ava';
import { addressesCondition, addressFault, unsupportedAddress } from '../../../../src/graph/gateways/addresses.ts';
import { assignAddresses } from '../../../../src/graph/gateways/assigned-addresses.ts';
import type { DataPlaneState } from '../../../../src/graph/model/index.ts';
import { gateway } from '../../../support/objects.ts';

type Address = NonNullable<ReturnType<typeof gateway>['spec']['addresses']>[number];

const asking = (...addresses: Partial<Address>[]) => {
  const object = gateway('edge');
  return { ...object, spec: { ...object.spec, addresses: addresses as Address[] } };
};
const ip = (value: string) => ({ type: 'IPAddress' as const, value });
const having = (values: readonly string[], more: Partial<DataPlaneState> = {}): DataPlaneState => ({
  addresses: values.map(ip),
  message: '',
  ...more,
});

test('the address that was asked for, or any where none was, is no fault', (t) => {
  const one = having(['192.0.2.1']);
  t.is(addressFault(asking({ value: '192.0.2.1' }), one), undefined);
  t.is(addressFault(asking({ type: 'IPAddress' }), one), undefined);
  t.is(addressFault(gateway('edge'), one), undefined);
  t.is(addressFault(asking({ value: 'fd00:0::1' }), having(['fd00::1'])), undefined, 'written in another way');
});

test('another address than the one asked for is reported with both', (t) => {
  const fault = addressFault(asking({ value: '192.0.2.1' }), having(['192.0.2.9']));
  t.is(fault?.reason, 'AddressNotUsable');
  t.regex(fault?.message ?? '', /192\.0\.2\.1.*192\.0\.2\.9/);
});

test('an address that is not there yet is reported with what is missing', (t) => {
  const fault = addressFault(asking({ value: '192.0.2.1' }), having([], { message: 'Service edge waits for one' }));
  t.is(fault?.reason, 'AddressNotAssigned');
  t.regex(fault?.message ?? '', /Service edge waits for one.*192\.0\.2\.1/);
});

test('IP addresses and hostnames can be asked for, and nothing else', (t) => {
  t.is(unsupportedAddress(asking({ value: '192.0.2.1' }, { type: 'Hostname', value: 'lb.example' })), undefined);
  t.is(
    unsupportedAddress(asking({ value: '192.0.2.1' }, { type: 'test/x', value: 'y' }))?.reason,
    'UnsupportedAddress',
  );
  t.is(unsupportedAddress(asking({ value: 'lb.example' }))?.reason, 'UnsupportedAddress');
});

test('a hostname is the one that the load balancer has, or none', (t) => {
  const state = having([], { addresses: [{ type: 'Hostname', value: 'lb.example' }] });
  const any = { type: 'Hostname' };
  t.deepEqual(assignAddresses(asking(any), state).addresses, state.addresses);
  t.deepEqual(assignAddresses(asking({ ...any, value: 'lb.example' }), state).unassigned, []);
  t.is(addressFault(asking({ ...any, value: 'other.example' }), state)?.reason, 'AddressNotUsable');
  t.is(addressFault(asking(any), having(['192.0.2.1']))?.reason, 'AddressNotUsable');
  t.is(addressFault(asking({}), state), undefined, 'any address may be a hostname, as it always could');
});

test('each entry has an address of its own, and the status those that are asked for', (t) => {
  const state = having(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  const values = (...entries: Partial<Address>[]) =>
    assignAddresses(asking(...entries), state).addresses.map(({ value }) => value);
  t.deepEqual(values({ value: '192.0.2.2' }), ['192.0.2.2']);
  t.deepEqual(values({}, { value: '192.0.2.2' }), ['192.0.2.1', '192.0.2.3', '192.0.2.2']);
  t.deepEqual(assignAddresses(gateway('edge'), state).addresses, state.addresses);
});

test('where one of several is not there, it is named, and clients are shown what there is', (t) => {
  const object = asking({ value: '192.0.2.1' }, { value: '192.0.2.7' });
  const state = having(['192.0.2.1', 'fd00::1']);
  t.deepEqual(assignAddresses(object, state).addresses, state.addresses);
  t.is(addressFault(object, state)?.reason, 'AddressNotUsable');
  t.regex(addressFault(object, state)?.message ?? '', /asks for 192\.0\.2\.7, and/);
  t.like(addressesCondition(object, 3, state)[0], {
    type: 'AddressesAssigned',
    status: 'False',
    reason: 'PartiallyAssigned',
    message: 'Without an address: 192.0.2.7',
    observedGeneration: 3,
  });
});

test('why addresses cannot be asked of the platform is said beside them', (t) => {
  const state = having(['192.0.2.9'], { addressProblem: 'one address at a time' });
  const fault = addressFault(asking({ value: '192.0.2.1' }, { value: '192.0.2.2' }), state);
  t.is(fault?.reason, 'AddressNotUsable');
  t.regex(fault?.message ?? '', /192\.0\.2\.1 and 192\.0\.2\.2: one address at a time/);
});

test('whether addresses are assigned is said to those who ask for some, once it is known', (t) => {
  const state = having(['192.0.2.1']);
  t.deepEqual(addressesCondition(gateway('edge'), 1, state), []);
  t.deepEqual(addressesCondition(asking({}), 1, undefined), []);
  t.like(addressesCondition(asking({}), 1, state)[0], { status: 'True', reason: 'AddressesAssigned' });
  const other = addressesCondition(asking({ value: '192.0.2.7' }), 1, state)[0];
  t.like(other, { status: 'False', reason: 'NotAssigned' });
});

const balanced = having(['192.0.2.1', '192.0.2.2'], { clusterAddresses: [ip('10.0.0.1')] });

test('addresses of the cluster are ClusterIPs, and each says from where it is reached', (t) => {
  const object = asking({ routability: 'Cluster' }, {});
  t.deepEqual(assignAddresses(object, balanced).addresses, [
    { ...ip('10.0.0.1'), routability: 'Cluster' },
    { ...ip('192.0.2.1'), routability: '' },
    { ...ip('192.0.2.2'), routability: '' },
  ]);
  const alone = asking({ routability: 'Cluster' });
  t.deepEqual(assignAddresses(alone, balanced).addresses, [{ ...ip('10.0.0.1'), routability: 'Cluster' }]);
  t.is(addressFault(alone, balanced), undefined);
});

test('no address of another scope takes the place of one that is not there', (t) => {
  const outside = asking({ routability: 'Cluster', value: '192.0.2.1' });
  t.deepEqual(assignAddresses(outside, balanced).addresses, []);
  t.is(addressFault(outside, balanced)?.reason, 'AddressNotUsable');
  const kept = asking({ routability: 'gatewright.dev/Private' }, { routability: 'Cluster' });
  t.deepEqual(
    assignAddresses(kept, balanced).addresses.map(({ value }) => value),
    ['10.0.0.1'],
    'what the platform has by default may be public',
  );
  const ofNetwork = { ...balanced, routability: 'gatewright.dev/Private' };
  t.is(addressFault(kept, ofNetwork), undefined);
  t.is(addressFault(asking({ routability: 'gatewright.dev/Public' }), ofNetwork)?.reason, 'AddressNotUsable');
  t.is(addressFault(asking({}), ofNetwork), undefined, 'any will do');
});

test('a scope that is not known here is named with those that are', (t) => {
  const fault = addressFault(asking({ routability: 'example.com/Wan' }), balanced);
  t.is(fault?.reason, 'AddressNotUsable');
  t.regex(fault?.message ?? '', /example\.com\/Wan is not known here: use Cluster, gatewright\.dev\/Private/);
});

test('an address of the load balancer is waited for beside one of the cluster', (t) => {
  const waiting = having([], { clusterAddresses: [ip('10.0.0.1')], message: 'Service edge waits for one' });
  const object = asking({}, { routability: 'Cluster' });
  t.is(addressFault(object, waiting)?.reason, 'AddressNotAssigned');
  t.is(addressesCondition(object, 1, waiting)[0]?.reason, 'PartiallyAssigned');
  t.is(addressFault(asking({ routability: 'Cluster' }), waiting), undefined, 'it has what it asks for');
});
