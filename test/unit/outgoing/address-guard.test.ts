import test, { type ExecutionContext } from 'ava';
import { AddressGuard, OutgoingError, readServerUrl } from '../../../src/outgoing/index.ts';

const guard = new AddressGuard({ allowLoopback: false });
const local = new AddressGuard({ allowLoopback: true });

function rejects(t: ExecutionContext, address: string, also = false): void {
  t.truthy(guard.faultOf(address), address);
  t.is(local.faultOf(address) === undefined, also, address);
}

for (const address of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])
  test(`${address} is called only when this machine may be`, rejects, address, true);

for (const address of [
  '169.254.169.254',
  '169.254.0.1',
  '::ffff:169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  'fe80::1',
  'fd00:ec2::254',
  '100.100.100.200',
  '0.0.0.0',
  '::',
  '224.0.0.1',
  'ff02::1',
  '255.255.255.255',
])
  test(`${address} is never called`, rejects, address);

for (const address of ['10.0.0.1', '192.168.1.1', '93.184.216.34', 'fd00:1::1', '2606:4700::1111'])
  test(`${address} may be called`, (t) => {
    t.is(guard.faultOf(address), undefined);
  });

const blocked = { instanceOf: OutgoingError, message: /is (an address that is never called|this machine itself)/ };

for (const url of [
  'http://169.254.169.254/latest/meta-data',
  'http://[::ffff:a9fe:a9fe]/',
  // WHATWG URL reads these as 127.0.0.1 and 169.254.169.254.
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0251.0376.0251.0376/',
])
  test(`${url} is seen for the address that it is`, (t) => {
    t.throws(() => guard.check(new URL(url)), blocked);
  });

test('a name that leads to this machine is rejected when it is resolved', async (t) => {
  const error = await new Promise<Error | null>((resolve) => guard.lookup('localhost', { all: true }, resolve));
  t.true(error instanceof OutgoingError);
  t.regex(error?.message ?? '', /^localhost: .*allowLoopback/);
});

const fault = test.macro({
  exec: (t, text: string, expected: RegExp) => t.regex(readServerUrl(text).fault ?? '', expected),
  title: (_, text) => `${text} is no address of a server`,
});
test(fault, 'prometheus:9090', /scheme/);
test(fault, 'file:///etc/passwd', /only http and https/);
test(fault, 'http://user:secret@prometheus', /credentials/);
test(fault, 'http://prometheus/?x=1', /query/);
test(fault, 'nothing', /no URL/);
