import test from 'ava';
import type { Answer, DecodedPacket } from 'dns-packet';
import { type ResolutionParts, resolveName } from '../../../../src/agent/dns/resolve-name.ts';
import { parseHosts, parseResolvConf } from '../../../../src/agent/dns/system-names.ts';
import { AddressRules } from '../../../../src/egress/index.ts';

type Records = Readonly<Record<string, readonly Answer[] | 'NXDOMAIN' | Error>>;

const a = (name: string, data: string, ttl = 60): Answer => ({ type: 'A', name, ttl, data });
const alias = (name: string, data: string): Answer => ({ type: 'CNAME', name, ttl: 5, data });

/** Resolves against these records; `asked` are the names that servers were asked for. */
async function resolve(
  name: string,
  records: Records,
  { resolvConf = '', hosts = '', rules = new AddressRules() } = {},
) {
  const asked: string[] = [];
  const ask: ResolutionParts['ask'] = async (question) => {
    asked.push(question.name);
    const found = records[question.name] ?? 'NXDOMAIN';
    if (found instanceof Error) throw found;
    const rcode = found === 'NXDOMAIN' ? 'NXDOMAIN' : 'NOERROR';
    return { type: 'response', rcode, answers: found === 'NXDOMAIN' ? [] : found } as unknown as DecodedPacket;
  };
  const settings = parseResolvConf(resolvConf);
  const parts = { rules, clusterDomain: 'cluster.local', settings, hosts: parseHosts(hosts), ask };
  const resolution = await resolveName({ name, type: 'A' }, parts);
  return { ...resolution, asked, list: resolution.addresses.map(({ address }) => address) };
}

const inPod =
  'nameserver 10.96.0.10\nsearch shop.svc.cluster.local svc.cluster.local cluster.local corp.test\noptions ndots:5\n';

test('addresses, hosts files and localhost need no server, and are judged', async (t) => {
  t.deepEqual((await resolve('10.0.0.9', {})).list, ['10.0.0.9']);
  t.deepEqual((await resolve('0x0a.9', {})).list, ['10.0.0.9']);
  const own = await resolve('pod-1', {}, { hosts: '127.0.0.1 pod-1 # own\n10.0.0.9 pod-1 other\n' });
  t.deepEqual([own.list, own.rejected], [['10.0.0.9'], ['pod-1 leads to 127.0.0.1, a loopback address']]);
  t.deepEqual((await resolve('localhost', {})).list, []);
  const rules = new AddressRules({ allowed: ['127.0.0.1/32'] });
  t.deepEqual((await resolve('a.localhost', {}, { rules })).list, ['127.0.0.1']);
});

test('search domains are gone through, but for those of the cluster', async (t) => {
  const records = { 'web.corp.test': [a('web.corp.test', '10.0.0.1')] };
  const { list, asked } = await resolve('web', records, { resolvConf: inPod });
  t.deepEqual([list, asked], [['10.0.0.1'], ['web.corp.test']]);
  const service = { 'gatewright-admin.gatewright-system.svc.cluster.local': [a('x', '10.96.0.7')] };
  const sly = await resolve('gatewright-admin.gatewright-system', service, { resolvConf: inPod });
  t.deepEqual([sly.list, sly.exists], [[], false]);
  t.false(sly.asked.some((name) => name.endsWith('cluster.local')));
});

test('a Service that is written as one is found by search domains', async (t) => {
  const name = 'web.shop.svc.cluster.local';
  const { list } = await resolve('web.shop.svc', { [name]: [a(name, '10.96.0.8')] }, { resolvConf: inPod });
  t.deepEqual(list, ['10.96.0.8']);
});

test('names with dots enough are asked for as they are, first', async (t) => {
  const options = { resolvConf: 'search corp.test\noptions ndots:1' };
  t.deepEqual((await resolve('a.b', { 'a.b': [a('a.b', '10.0.0.1')] }, options)).asked, ['a.b']);
  t.deepEqual((await resolve('a.b', {}, options)).asked, ['a.b', 'a.b.corp.test']);
});

test('aliases are followed where the server has not done it, with the shortest time', async (t) => {
  const records = { 'one.test': [alias('one.test', 'two.test')], 'two.test': [a('two.test', '10.0.0.1')] };
  const { addresses, asked } = await resolve('one.test', records);
  t.deepEqual(addresses, [{ address: '10.0.0.1', ttl: 5 }]);
  t.deepEqual(asked, ['one.test', 'two.test']);
});

test('aliases that end nowhere, or in themselves, end', async (t) => {
  await t.throwsAsync(resolve('one.test', { 'one.test': [alias('one.test', 'one.test')] }), { message: /aliases/ });
  const many = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`n${at}.test`, [alias(`n${at}.test`, `n${at + 1}.test`)]]),
  );
  await t.throwsAsync(resolve('n0.test', many), { message: /more than 8 aliases/ });
});

for (const target of ['localhost', 'x.localhost', 'metadata.google.internal', 'web.shop.svc', 'api.cluster.local'])
  test(`an alias of ${target} leads nowhere, whatever address comes with it`, async (t) => {
    const { list, rejected, exists } = await resolve('one.test', {
      'one.test': [alias('one.test', target), a(target, '10.0.0.1')],
    });
    t.deepEqual([list, exists], [[], true]);
    t.true(rejected[0]?.startsWith(`one.test leads to ${target}`), rejected[0]);
  });

test('addresses of other names in an answer are none of this one', async (t) => {
  const { list } = await resolve('one.test', { 'one.test': [a('one.test', '10.0.0.1'), a('evil.test', '10.0.0.2')] });
  t.deepEqual(list, ['10.0.0.1']);
});

test('a name that no server can answer rejects, and one that is known to exist does not', async (t) => {
  await t.throwsAsync(resolve('one.test', { 'one.test': new Error('dead') }), { message: 'dead' });
  const options = { resolvConf: 'search corp.test' };
  const found = await resolve('one', { 'one.corp.test': [], one: new Error('dead') }, options);
  t.deepEqual([found.list, found.exists], [[], true]);
});

test('a domain of the cluster that the control plane does not know is rejected, with what to set', async (t) => {
  const resolvConf = 'search shop.svc.corp.test svc.corp.test corp.test\noptions ndots:5';
  const { list, rejected } = await resolve('web.other.svc.corp.test', {}, { resolvConf });
  t.deepEqual(list, []);
  t.regex(rejected[0] ?? '', /set backends\.clusterDomain/);
});

test('resolv.conf and hosts are read as by other resolvers', (t) => {
  t.deepEqual(parseResolvConf(`# c\nnameserver 10.0.0.1\nnameserver fe80::1%eth0\nnameserver x\n${inPod}`), {
    servers: ['10.0.0.1', 'fe80::1%eth0', '10.96.0.10'],
    search: ['shop.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'corp.test'],
    ndots: 5,
  });
  t.deepEqual(parseResolvConf(''), { servers: [], search: [], ndots: 1 });
  t.deepEqual(
    [...parseHosts('10.0.0.1 A b\n::1 b # c\nx y\n')],
    [
      ['a', ['10.0.0.1']],
      ['b', ['10.0.0.1', '::1']],
    ],
  );
});
