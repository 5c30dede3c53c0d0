import { request as httpRequest } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { cidrsOf } from '../../src/controllers/policies/index.ts';
import { clientAddress, isUnbelieved } from '../../src/offline/access/index.ts';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import { startBackend } from '../support/http.ts';
import { startHttp3Talk } from '../support/http3-talk.ts';
import { gateway, httpRoute, ownObject, secret } from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { askTls } from '../support/tls-ask.ts';

/** Who a client is to proxies behind known proxies, with a real Envoy, and to what is worked out without it. */

const proxyAt = '127.0.0.2';
const strangerAt = '127.0.0.1';
const trustedCIDRs = [`${proxyAt}/32`, '10.0.0.0/8', '2001:DB8::/32', '2001:db8::/32'];
const trusted = (header?: string) => ({
  trustedProxies: { networks: cidrsOf(trustedCIDRs), ...(header && { header }) },
});
const hosts = ['a.test', 'b.wild.test'];

const listenerPolicy = (clientIP: object, more: object = {}) =>
  ownObject('ListenerPolicy', 'edge', {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
    clientIP,
    ...more,
  });
const accessPolicy = (parts: object) =>
  ownObject('AccessPolicy', 'addresses', {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
    ...parts,
  });

type Headers = Readonly<Record<string, string | readonly string[]>>;
type Seen = Readonly<Record<string, string | string[] | undefined>>;

async function startBehindProxies(t: ExecutionContext, clientIP: object) {
  const web = await startBackend(t, ({ headers }, response) => response.end(JSON.stringify(headers)));
  const auth = await startBackend(t, (_, response) => response.end());
  const world = await startWorld(
    t,
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
    listenerPolicy(clientIP),
    ...backend('web', web.port),
    ...backend('auth', auth.port),
    httpRoute('web', { hostnames: ['a.test', '*.wild.test'], rules: refs({ web: 1 }) as never }),
  );
  const port = await world.envoy.port('http/80');
  const ask = (from: string, headers: Headers = {}, host = 'a.test') =>
    new Promise<{ readonly status: number; readonly seen: Seen }>((resolve, reject) => {
      const sent = httpRequest(
        { host: '127.0.0.1', port, localAddress: from, agent: false, headers: { ...headers, host } as never },
        (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (text: string) => {
            body += text;
          });
          response.once('end', () => {
            const status = response.statusCode ?? 0;
            resolve({ status, seen: status === 200 ? JSON.parse(body) : {} });
          });
        },
      );
      sent.once('error', reject).end();
    });
  /** The address that Envoy found. */
  const addressOf = async (from: string, headers: Headers) =>
    (await ask(from, headers)).seen['x-envoy-external-address'];
  return { ...world, ask, addressOf, auth };
}

const headerOf = (headers: Headers) => (name: string) => [headers[name] ?? []].flat();

const client = '203.0.113.7';
const many = (count: number, address: string) => Array.from({ length: count }, () => address);

/** What known proxies pass on, and whose request it is then. */
const lists: readonly (readonly [forwarded: readonly string[] | undefined, address: string])[] = [
  [undefined, proxyAt],
  [[''], proxyAt],
  [[client], client],
  [[`${client}, 10.1.1.1`], client],
  [[`198.51.100.1, ${client}, 10.1.1.1, 10.2.2.2`], client],
  [[client, '10.1.1.1'], client],
  [['2001:db9::7, 2001:db8::1'], '2001:db9::7'],
  [['10.3.3.3, 10.1.1.1'], '10.3.3.3'],
  [[`${client}, nonsense`], proxyAt],
  [[`nonsense, ${client}`], client],
  [[`${client}:443, 10.1.1.1`], proxyAt],
  [['[2001:db9::7], 10.1.1.1'], proxyAt],
  [[`${client}, , 10.1.1.1`], proxyAt],
  [[`${client},`], proxyAt],
  [[`::ffff:${client}, 10.1.1.1`], `::ffff:${client}`],
  // A client that writes a long list is no proxy for that.
  ...[7, 8, 19, 20, 21, 60, 300].map((count) => [[[...many(count, '10.9.9.9'), client].join(', ')], client] as const),
  ...[19, 20, 21, 60].map((count) => [[...many(count, '10.9.9.9'), client], client] as const),
  [[[client, ...many(7, '10.9.9.9')].join(', ')], client],
  [[[client, ...many(8, '10.9.9.9')].join(', ')], '10.9.9.9'],
];

test('behind known proxies the client is the last entry that is none of them, and others are who they are', async (t) => {
  const { addressOf } = await startBehindProxies(t, { trustedCIDRs });
  for (const [forwarded, address] of lists) {
    const headers: Headers = forwarded ? { 'x-forwarded-for': forwarded } : {};
    const name = JSON.stringify(forwarded)?.slice(0, 200);
    t.is(await addressOf(proxyAt, headers), address, name);
    t.is(clientAddress(proxyAt, headerOf(headers), trusted()), address, `worked out: ${name}`);
    t.is(await addressOf(strangerAt, headers), strangerAt, name);
    t.is(clientAddress(strangerAt, headerOf(headers), trusted()), strangerAt);
  }
});

thorough(test)('any list means the same to Envoy and to what is worked out', async (t) => {
  const { addressOf } = await startBehindProxies(t, { trustedCIDRs });
  const entry = fc.constantFrom(
    client,
    '10.1.1.1',
    '10.2.2.2',
    proxyAt,
    '2001:db8::1',
    '2002::7',
    'x',
    '',
    ' 10.1.1.1 ',
  );
  const list = fc.array(
    fc.array(entry, { minLength: 1, maxLength: 12 }).map((entries) => entries.join(',')),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
  const seed = Date.now() % 1_000_000_007;
  t.log({ seed });
  for (const forwarded of fc.sample(list, { numRuns: 150, seed })) {
    const headers = { 'x-forwarded-for': forwarded };
    const worked = clientAddress(proxyAt, headerOf(headers), trusted());
    t.is(await addressOf(proxyAt, headers), worked, `${seed} ${JSON.stringify(forwarded)}`);
  }
});

test('by a header of theirs it is what the header says, and others lose the header', async (t) => {
  const { addressOf, ask } = await startBehindProxies(t, { trustedCIDRs, header: 'X-Real-IP' });
  const cases: readonly (readonly [string | readonly string[] | undefined, string])[] = [
    [client, client],
    ['2001:DB9::7', '2001:db9::7'],
    [['198.51.100.1', client], '198.51.100.1'],
    [undefined, proxyAt],
    [`${client}, 10.1.1.1`, proxyAt],
    [`${client}:80`, proxyAt],
    ['nonsense', proxyAt],
  ];
  for (const [written, address] of cases) {
    const headers = { ...(written !== undefined && { 'x-real-ip': written }), 'x-forwarded-for': '198.51.100.9' };
    t.is(await addressOf(proxyAt, headers), address, String(written));
    t.is(await addressOf(strangerAt, headers), strangerAt, String(written));
    const canonical = address.toLowerCase();
    t.is(clientAddress(proxyAt, headerOf(headers), trusted('x-real-ip'))?.toLowerCase(), canonical, String(written));
  }
  t.is((await ask(strangerAt, { 'x-real-ip': client })).seen['x-real-ip'], undefined);
  t.is((await ask(proxyAt, { 'x-real-ip': client })).seen['x-real-ip'], client);
});

test('what others say in the name of a proxy is removed, and no one speaks to Envoy', async (t) => {
  const { ask } = await startBehindProxies(t, { trustedCIDRs, header: 'cf-connecting-ip' });
  const said: Headers = {
    'x-forwarded-for': client,
    'x-forwarded-host': 'said.test',
    'x-forwarded-port': '8443',
    'x-forwarded-prefix': '/said',
    'x-forwarded-user': 'said',
    forwarded: `for=${client}`,
    'x-real-ip': client,
    'cf-connecting-ip': client,
  };
  const toEnvoy: Headers = {
    'x-envoy-internal': 'true',
    'x-envoy-max-retries': '9',
    'x-envoy-upstream-rq-timeout-ms': '1',
    'x-envoy-original-path': '/said',
    'x-request-id': 'said',
  };
  const headers = { ...said, ...toEnvoy, 'x-forwarded-proto': 'https', 'x-forwarded-client-cert': 'By=said' };
  for (const host of hosts) {
    for (const from of [strangerAt, proxyAt]) {
      const { seen, status } = await ask(from, headers, host);
      t.is(status, 200);
      const kept = Object.keys(said).filter((name) => String(seen[name]) === said[name]);
      t.deepEqual(kept, from === proxyAt ? Object.keys(said) : [], from);
      t.is(seen['x-forwarded-proto'], from === proxyAt ? 'https' : 'http', from);
      for (const name of Object.keys(toEnvoy)) t.not(seen[name], toEnvoy[name], `${from} ${name}`);
      t.is(seen['x-forwarded-client-cert'], undefined);
      const unbelieved = Object.keys(said).filter((name) => isUnbelieved(name, from, trusted('cf-connecting-ip')));
      t.deepEqual(unbelieved, from === proxyAt ? [] : Object.keys(said), `worked out: ${from}`);
    }
  }
});

thorough(test)('policies of access, their servers and hashes go by the same address', async (t) => {
  const { ask, apply, auth } = await startBehindProxies(t, { trustedCIDRs });
  const forwarded = { 'x-forwarded-for': `198.51.100.1, ${client}, 10.1.1.1` };
  const statuses = async () => [
    (await ask(proxyAt, forwarded)).status,
    (await ask(proxyAt, forwarded, 'b.wild.test')).status,
    (await ask(proxyAt)).status,
    (await ask(strangerAt, forwarded)).status,
  ];
  await apply(accessPolicy({ clientIPs: { allow: [`${client}/32`] } }));
  t.deepEqual(await statuses(), [200, 200, 403, 403]);
  await apply(accessPolicy({ clientIPs: { deny: [`${client}/32`] } }));
  t.deepEqual(await statuses(), [403, 403, 200, 200]);
  const long = { 'x-forwarded-for': [...many(40, '10.9.9.9'), client].join(', ') };
  t.is((await ask(proxyAt, long)).status, 403, 'a long list does not lead around it');
  const rule = { name: 'r', action: 'Allow', when: { clientIPs: [`${client}/32`] } };
  await apply(accessPolicy({ authorization: { rules: [rule] } }));
  t.deepEqual(await statuses(), [200, 200, 403, 403]);
  await apply(accessPolicy({ forwardAuth: { backendRef: { name: 'auth', port: 80 }, http: {} } }));
  t.deepEqual(await statuses(), [200, 200, 200, 200]);
  t.deepEqual(
    auth.seen.slice(-4).map((seen) => seen['x-forwarded-for']),
    [client, client, proxyAt, strangerAt],
  );
});

test('a network that is none closes the listeners, and a good one opens them', async (t) => {
  const { ask, apply } = await startBehindProxies(t, { trustedCIDRs });
  t.is((await ask(proxyAt)).status, 200);
  await apply(listenerPolicy({ trustedCIDRs: ['10.0.0.1/8'] }));
  await t.throwsAsync(ask(proxyAt));
  await t.throwsAsync(ask(strangerAt));
  await apply(listenerPolicy({ trustedCIDRs: ['0.0.0.0/0', '::/0'] }));
  t.is((await ask(strangerAt, { 'x-forwarded-for': client })).status, 200, 'all of them are proxies');
});

test('with TLS, and by HTTP/3, known proxies are those of the connection', async (t) => {
  const web = await startBackend(t, ({ headers }, response) => response.end(JSON.stringify(headers)));
  const authority = await createAuthority('ours');
  const { certificatePem, keyPem } = await authority.issue({ hostnames: ['a.test'] });
  const policyOf = (network: string) =>
    listenerPolicy({ trustedCIDRs: [network], header: 'X-Real-IP' }, { http3: { enabled: true } });
  const world = await startWorld(
    t,
    secret('cert', { 'tls.crt': certificatePem, 'tls.key': keyPem }),
    gateway('edge', [
      { name: 'https', port: 443, protocol: 'HTTPS', hostname: 'a.test', tls: { certificateRefs: [{ name: 'cert' }] } },
    ] as never),
    policyOf('10.0.0.0/8'),
    ...backend('web', web.port),
    httpRoute('web', { rules: refs({ web: 1 }) as never }),
  );
  const ports = { tcp: await world.envoy.port('https/443'), udp: await world.envoy.port('http3/443') };
  const talk = await startHttp3Talk(t, { host: 'a.test', port: ports.udp, ca: authority.certificatePem });
  /** Envoy adds to X-Forwarded-For where it takes the address from the connection. */
  const areStrangers = async () => {
    const headers = { 'x-real-ip': client };
    const seen = [(await askTls(ports.tcp, { host: 'a.test', headers })).body, (await talk.ask('/', null)).body];
    return seen.map((body) => (JSON.parse(body) as Seen)['x-forwarded-for'] !== undefined);
  };
  t.deepEqual(await areStrangers(), [true, true]);
  await world.apply(policyOf('127.0.0.0/8'));
  t.deepEqual(await areStrangers(), [false, false]);
});
