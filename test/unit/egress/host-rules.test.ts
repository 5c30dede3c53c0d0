import test from 'ava';
import fc from 'fast-check';
import { hostFault, hostRules, readAddress } from '../../../src/egress/index.ts';

const kindOf = (host: string, options = {}) => hostFault(host, 'shop', hostRules(options))?.kind;

test('an IPv4 address is read in every spelling', (t) => {
  const byte = fc.integer({ min: 0, max: 255 });
  const spelled = (value: number) =>
    fc.constantFrom(`${value}`, `0x${value.toString(16)}`, `0X${value.toString(16)}`, `0${value.toString(8)}`);
  const address = fc
    .tuple(byte, byte, byte, byte)
    .chain(([a, b, c, d]) =>
      fc
        .oneof(
          fc.tuple(...[a, b, c, d].map(spelled)),
          fc.tuple(spelled(a), spelled(b), spelled((c << 8) | d)),
          fc.tuple(spelled(a), spelled((b << 16) | (c << 8) | d)),
          fc.tuple(spelled(((a << 24) >>> 0) + (b << 16) + (c << 8) + d)),
        )
        .map((parts) => ({ text: parts.join('.'), plain: `${a}.${b}.${c}.${d}` })),
    );
  fc.assert(fc.property(address, ({ text, plain }) => readAddress(text) === plain));
  t.pass();
});

test('digits and dots of other scripts, brackets, zones and dots at the end change nothing', (t) => {
  for (const text of ['127.0.0.1.', '１２７．０．０．１', '127。0。0。1', '[127.0.0.1]', '127｡0｡0｡1'])
    t.is(readAddress(text), '127.0.0.1', text);
  t.is(readAddress('[fe80::1%eth0]'), 'fe80::1');
  t.is(readAddress('[::FFFF:127.0.0.1]'), '::ffff:127.0.0.1');
});

test('names are no addresses', (t) => {
  for (const name of ['example.com', 'dead.beef', 'face', 'x', '1.2.3.4.5', '1.example', '999.1.1.1', ''])
    t.is(readAddress(name), undefined, name);
});

for (const [host, kind] of [
  ['localhost', 'loopback'],
  ['LocalHost.', 'loopback'],
  ['db.localhost', 'loopback'],
  ['localhost.localdomain', 'loopback'],
  ['ip6-loopback', 'loopback'],
  ['metadata.google.internal', 'link-local'],
  ['2130706433', 'loopback'],
  ['web.other.svc', 'cluster'],
  ['web.other.svc.cluster.local', 'cluster'],
  ['svc', 'cluster'],
  ['10-0-0-1.shop.pod.cluster.local', 'cluster'],
  ['a.web.other.svc', 'cluster'],
] as const)
  test(`${host} is rejected as ${kind}`, (t) => t.is(kindOf(host), kind));

for (const host of [
  'example.com',
  'web.shop.svc',
  'web.shop.svc.cluster.local',
  'pod-0.web.shop.svc',
  'notlocalhost',
  'localhost.example.com',
  '10.0.0.1',
])
  test(`${host} may be called`, (t) => t.is(kindOf(host), undefined));

test('an allowed address opens the names that stand for it', (t) => {
  t.is(kindOf('localhost', { allowedAddresses: ['127.0.0.1/32'] }), undefined);
  t.is(kindOf('metadata.google.internal', { allowedAddresses: ['169.254.169.254'] }), undefined);
  t.is(kindOf('metadata.google.internal', { allowedAddresses: ['127.0.0.1'] }), 'link-local');
});

test('another domain of the cluster is known by configuration', (t) => {
  t.is(kindOf('web.other.svc.corp.test'), undefined);
  t.is(kindOf('web.other.svc.corp.test', { clusterDomain: 'Corp.Test.' }), 'cluster');
  t.is(kindOf('web.shop.svc.corp.test', { clusterDomain: 'corp.test' }), undefined);
});
