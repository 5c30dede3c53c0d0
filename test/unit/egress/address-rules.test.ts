import test from 'ava';
import fc from 'fast-check';
import {
  type AddressKind,
  AddressRules,
  embeddings,
  forbiddenRanges,
  isAddressRange,
} from '../../../src/egress/index.ts';

const rules = new AddressRules();
const kindOf = (address: string) => rules.faultOf(address)?.kind;

const forbidden = test.macro({
  exec: (t, address: string, kind: AddressKind) => t.is(kindOf(address), kind),
  title: (_, address, kind) => `${address} is ${kind}`,
});
test(forbidden, '127.0.0.1', 'loopback');
test(forbidden, '127.255.255.254', 'loopback');
test(forbidden, '::1', 'loopback');
test(forbidden, '0.0.0.0', 'unspecified');
test(forbidden, '::', 'unspecified');
test(forbidden, '169.254.169.254', 'link-local');
test(forbidden, 'fe80::1%eth0', 'link-local');
test(forbidden, '100.100.100.200', 'metadata');
test(forbidden, '168.63.129.16', 'metadata');
test(forbidden, '192.0.0.192', 'metadata');
test(forbidden, 'fd00:ec2::254', 'metadata');
test(forbidden, 'fd00:42::42', 'metadata');
test(forbidden, 'fd20:ce::254', 'metadata');
test(forbidden, '224.0.0.1', 'multicast');
test(forbidden, 'ff02::1', 'multicast');
test(forbidden, '255.255.255.255', 'reserved');
test(forbidden, '::ffff:127.0.0.1', 'loopback');
test(forbidden, '::ffff:7f00:1', 'loopback');
test(forbidden, '::127.0.0.1', 'loopback');
test(forbidden, '::ffff:0:169.254.169.254', 'link-local');
test(forbidden, '64:ff9b::a9fe:a9fe', 'link-local');
test(forbidden, '64:ff9b:1::a9fe:a9fe', 'link-local');
// RFC 6052, 2.2: prefixes of 48, 56 and 64 bits.
test(forbidden, '64:ff9b:1:a9fe:a9:fe01:203:405', 'link-local');
test(forbidden, '64:ff9b:1:aaa9:fe:a9fe:203:405', 'link-local');
test(forbidden, '64:ff9b:1:aaaa:a9:fea9:fe03:405', 'link-local');
test(forbidden, '2002:a9fe:a9fe::1', 'link-local');
test(forbidden, '2001:0:7f00:1:0:0:0:1', 'loopback');
test(forbidden, '2001:0:4136:e378:8000:63bf:80ff:fffe', 'loopback');
test(forbidden, 'no address', 'reserved');

for (const address of [
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '93.184.216.34',
  '100.64.0.1',
  '2606:4700::1111',
  'fd00:1::1',
  '::ffff:10.0.0.1',
  '64:ff9b::5db8:d822',
  '64:ff9b:1::5db8:d822',
  '2002:5db8:d822::1',
])
  test(`${address} may be reached`, (t) => t.is(rules.faultOf(address), undefined));

test('every form of a forbidden IPv4 address is forbidden, and names that address', (t) => {
  const octet = fc.integer({ min: 0, max: 255 });
  const form = fc.constantFrom(...embeddings.filter(({ uncertain }) => !uncertain));
  const rest = fc.uint8Array({ minLength: 16, maxLength: 16 });
  fc.assert(
    fc.property(fc.tuple(octet, octet, octet), form, rest, (host, { prefix, at, inverted }, filler) => {
      const inner = [127, ...host];
      const bytes = [...filler.map((byte, index) => prefix[index] ?? byte)];
      at.forEach((index, part) => {
        bytes[index] = inverted ? 255 - (inner[part] ?? 0) : (inner[part] ?? 0);
      });
      return rules.faultOf(textOf(bytes)) !== undefined;
    }),
  );
  t.pass();
});

/** Full length, without any shortening. */
const textOf = (bytes: readonly number[]): string =>
  Array.from({ length: 8 }, (_, index) =>
    (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
  ).join(':');

test('public addresses are never rejected, whatever they are', (t) => {
  const octet = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.integer({ min: 11, max: 99 }), octet, octet, octet, (...parts) => {
      const address = parts.join('.');
      return rules.faultOf(address) === undefined && rules.faultOf(`::ffff:${address}`) === undefined;
    }),
  );
  t.pass();
});

test('an allow list opens an address in all of its forms, and nothing beside it', (t) => {
  const some = new AddressRules({ allowed: ['127.0.0.2', '169.254.7.0/24', 'fe80::/64'] });
  for (const address of ['127.0.0.2', '::ffff:127.0.0.2', '64:ff9b::7f00:2', '169.254.7.9', 'fe80::9'])
    t.is(some.faultOf(address), undefined, address);
  for (const address of ['127.0.0.1', '127.0.0.3', '169.254.8.1', 'fe81::9', '::ffff:127.0.0.1'])
    t.truthy(some.faultOf(address), address);
});

test('own addresses are rejected as they are now, also in IPv6 clothes, and may be allowed', (t) => {
  const own = new Map<string, string>();
  const of = (allowed: string[]) => new AddressRules({ allowed, own: () => own });
  const some = of([]);
  t.is(some.faultOf('10.1.2.3'), undefined);
  own.set('10.1.2.3', "this proxy's own address");
  t.deepEqual(some.faultOf('10.1.2.3'), { kind: 'own', message: "10.1.2.3, this proxy's own address" });
  t.is(some.faultOf('::ffff:10.1.2.3')?.kind, 'own');
  t.is(of(['10.1.2.3']).faultOf('10.1.2.3'), undefined);
});

test('ranges are read strictly', (t) => {
  for (const good of ['10.0.0.1', '10.0.0.0/8', '::1', 'fe80::/10', '0.0.0.0/0']) t.true(isAddressRange(good), good);
  for (const bad of ['', 'x', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0/8', '10.0.0.0/-1'])
    t.false(isAddressRange(bad), bad);
  t.throws(() => new AddressRules({ allowed: ['localhost'] }), {
    message: /"localhost" is no IP address and no range/,
  });
});

test('each range has a source, and none is in the table twice', (t) => {
  t.is(new Set(forbiddenRanges.map(({ range }) => range)).size, forbiddenRanges.length);
  for (const { range, source, name } of forbiddenRanges) t.true(source !== '' && name !== '' && isAddressRange(range));
});
