import test from 'ava';
import { addressFault, unsupportedAddress } from '../../../../src/graph/gateways/addresses.ts';
import { gateway } from '../../../support/objects.ts';

type Address = NonNullable<ReturnType<typeof gateway>['spec']['addresses']>[number];

const asking = (...addresses: Partial<Address>[]) => {
  const object = gateway('edge');
  return { ...object, spec: { ...object.spec, addresses: addresses as Address[] } };
};
const ip = (value: string) => ({ type: 'IPAddress' as const, value });

test('the address that was asked for, or any where none was, is no fault', (t) => {
  t.is(addressFault(asking({ value: '192.0.2.1' }), [ip('192.0.2.1')], undefined), undefined);
  t.is(addressFault(asking({ type: 'IPAddress' }), [ip('192.0.2.1')], undefined), undefined);
  t.is(addressFault(gateway('edge'), [ip('192.0.2.1')], undefined), undefined);
});

test('another address than the one asked for is reported with both', (t) => {
  const fault = addressFault(asking({ value: '192.0.2.1' }), [ip('192.0.2.9')], undefined);
  t.is(fault?.reason, 'AddressNotUsable');
  t.regex(fault?.message ?? '', /192\.0\.2\.1.*192\.0\.2\.9/);
});

test('an address that is not there yet is reported with what is missing', (t) => {
  const fault = addressFault(asking({ value: '192.0.2.1' }), [], 'Service edge waits for an address');
  t.is(fault?.reason, 'AddressNotAssigned');
  t.regex(fault?.message ?? '', /Service edge waits for an address.*192\.0\.2\.1/);
});

test('only IP addresses can be asked for', (t) => {
  t.is(unsupportedAddress(asking({ value: '192.0.2.1' })), undefined);
  t.is(
    unsupportedAddress(asking({ value: '192.0.2.1' }, { type: 'test/x', value: 'y' }))?.reason,
    'UnsupportedAddress',
  );
});
