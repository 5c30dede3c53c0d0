import { createServer } from 'node:http';
import type { Server } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createClientAuthority } from '../support/client-certificates.ts';
import { backend, startWorld } from '../support/graph-proxy.ts';
import { type HttpRequest, send, startBackend } from '../support/http.ts';
import { listening } from '../support/listening.ts';
import { configMap, gateway, httpRoute, ownObject, secret } from '../support/objects.ts';
import { askTls } from '../support/tls-ask.ts';
import { signer } from '../support/tokens.ts';
import { until } from '../support/until.ts';

/** Fields of AccessPolicies that say where a credential is, or which requests a rule is for, with a real Envoy. */

const host = 'web.test';
const plain = gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]);
const credentials = { labels: { 'gatewright.dev/credentials': 'true' } };

/** An AccessPolicy for the rule of this name. */
const policy = (rule: string, parts: object) =>
  ownObject('AccessPolicy', rule, {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'web', sectionName: rule }],
    ...parts,
  });

/** A route to `web` with a rule for each name, for paths below it. */
const ruled = (...names: readonly string[]) =>
  httpRoute('web', {
    hostnames: [host],
    rules: names.map((name) => ({
      name,
      matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
      backendRefs: [{ name: 'web', port: 80 }],
    })) as never,
  });

async function start(t: ExecutionContext, ...objects: Parameters<typeof startWorld>[1][]) {
  const web = await startBackend(t, (request, response) => void request.resume().once('end', () => response.end('ok')));
  const { envoy } = await startWorld(t, ...backend('web', web.port), ...objects);
  return envoy;
}

test('a token is found in the place of its provider alone, and verified by keys of a policy, a ConfigMap or a Secret', async (t) => {
  const staff = signer('staff');
  const keys = JSON.stringify({ keys: [staff.jwk] });
  const tokens = (jwks: object, from: object) => ({
    jwt: { providers: [{ name: 'staff', issuer: 'https://id.test', audiences: ['api'], jwks, from }] },
  });
  const envoy = await start(
    t,
    plain,
    ruled('query', 'cookie', 'header'),
    configMap('keys', { 'staff.json': keys }),
    secret('keys', { 'jwks.json': keys }, credentials),
    policy('query', tokens({ inline: keys }, { queryParams: ['token'] })),
    policy('cookie', tokens({ configMapRef: { name: 'keys', key: 'staff.json' } }, { cookies: ['token'] })),
    policy('header', tokens({ secretRef: { name: 'keys' } }, { headers: [{ name: 'X-Token', prefix: 'Of ' }] })),
  );
  const port = await envoy.port('http/80');
  const claims = { iss: 'https://id.test', aud: 'api', exp: Math.floor(Date.now() / 1000) + 3600 };
  const [good, bad] = [staff.token(claims), signer('staff').token(claims)];
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    (await send(port, { host, path, headers })).status;
  const inPlace = (token: string) => [
    ask(`/query?token=${token}`),
    ask('/cookie', { cookie: `token=${token}` }),
    ask('/header', { 'x-token': `Of ${token}` }),
  ];
  t.deepEqual(await Promise.all(inPlace(good)), [200, 200, 200]);
  t.deepEqual(await Promise.all(inPlace(bad)), [401, 401, 401]);
  t.deepEqual(await Promise.all(inPlace(staff.token({ ...claims, aud: 'other' }))), [403, 403, 403]);
  const elsewhere = [
    ask('/query', { cookie: `token=${good}` }),
    ask(`/cookie?token=${good}`),
    ask('/header', { authorization: `Bearer ${good}` }),
  ];
  t.deepEqual(await Promise.all(elsewhere), [401, 401, 401]);
});

test('a key is found in the first of its places that has one', async (t) => {
  const places = [{ query: 'key' }, { cookie: 'key' }, { header: 'X-Key' }];
  const envoy = await start(
    t,
    plain,
    ruled('keys'),
    secret('keys', { ann: 'key-of-ann' }, credentials),
    policy('keys', { apiKeys: { secretRefs: [{ name: 'keys' }], from: places } }),
  );
  const port = await envoy.port('http/80');
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
    (await send(port, { host, path, headers })).status;
  t.is(await ask('/keys'), 401);
  t.is(await ask('/keys?key=key-of-ann'), 200);
  t.is(await ask('/keys', { cookie: 'key=key-of-ann' }), 200);
  t.is(await ask('/keys', { 'x-key': 'key-of-ann' }), 200);
  t.is(await ask('/keys?key=wrong', { 'x-key': 'key-of-ann' }), 401);
});

test('a rule is for paths, and for the certificates of clients', async (t) => {
  const [ours, server] = [await createClientAuthority('ours'), await createClientAuthority('server')];
  const own = await server.issue({ dns: [host] });
  const validation = { caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authorities' }] };
  const rules = [
    { name: 'whole', action: 'Allow', when: { paths: [{ exact: '/shop/open' }] } },
    {
      name: 'some',
      action: 'Allow',
      when: { methods: ['GET'], paths: [{ prefix: '/shop/list' }, { regex: '/shop/v[0-9]+' }] },
    },
    { name: 'mail', action: 'Allow', when: { clientCertificates: { names: [{ email: 'ann@corp.test' }] } } },
    {
      name: 'names',
      action: 'Allow',
      any: [
        {
          clientCertificates: { names: [{ dns: 'ann.corp' }, { uri: 'spiffe://corp/ann' }] },
          paths: [{ prefix: '/shop/names' }],
        },
        {
          clientCertificates: { names: [{ ip: '192.0.2.1' }, { subject: 'CN=ann' }] },
          paths: [{ prefix: '/shop/others' }],
        },
        { clientCertificates: { required: true }, paths: [{ prefix: '/shop/any' }] },
      ],
    },
    { name: 'not', action: 'Deny', when: { not: true, methods: ['GET', 'POST'] } },
  ];
  const envoy = await start(
    t,
    gateway(
      'edge',
      [{ name: 'https', port: 443, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'server' }] } } as never],
      { tls: { frontend: { default: { validation: { ...validation, mode: 'AllowInsecureFallback' } } } } as never },
    ),
    configMap('authorities', { 'ca.crt': ours.certificatePem }),
    secret('server', { 'tls.crt': own.certificatePem, 'tls.key': own.keyPem }),
    ruled('shop'),
    policy('shop', { authorization: { default: 'Deny', rules } }),
  );
  const port = await envoy.port('https/443');
  const clients = {
    mail: await ours.issue({ emails: ['ann@corp.test'] }),
    dns: await ours.issue({ dns: ['ann.corp'] }),
    uri: await ours.issue({ uris: ['spiffe://corp/ann'] }),
    ip: await ours.issue({ ips: ['192.0.2.1'] }),
    subject: await ours.issue({ subject: 'CN=ann' }),
  };
  const ask = async (path: string, client?: keyof typeof clients, more: Partial<HttpRequest> = {}) =>
    (await askTls(port, { host, path, certificate: client && clients[client], ...more })).status;
  const denied = async (path: string, ...names: readonly (keyof typeof clients)[]) => {
    for (const name of names) t.is(await ask(path, name), 403, `${path} ${name}`);
    t.is(await ask(path), 403, path);
  };
  for (const path of ['/shop/open', '/shop/list/1', '/shop/v12']) t.is(await ask(path), 200, path);
  for (const path of ['/shop/open/1', '/shop/lists', '/shop/v12/x', '/shop']) t.is(await ask(path), 403, path);
  t.is(await ask('/shop/list', undefined, { method: 'POST' }), 403);
  t.is(await ask('/shop', 'mail'), 200);
  t.is(await ask('/shop', 'mail', { method: 'PUT' }), 403, 'another rule denies it');
  for (const name of ['dns', 'uri'] as const) t.is(await ask('/shop/names', name), 200, name);
  await denied('/shop/names', 'ip', 'subject');
  for (const name of ['ip', 'subject'] as const) t.is(await ask('/shop/others', name), 200, name);
  await denied('/shop/others', 'dns', 'uri');
  for (const name of ['dns', 'uri', 'ip', 'subject'] as const) t.is(await ask('/shop/any', name), 200, name);
  t.is(await ask('/shop/any'), 403);
});

test('a server that decides is waited for as long as a policy says, and sees no more of a body', async (t) => {
  const bodies: string[] = [];
  const auth = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.once('end', () => {
      bodies.push(body);
      if (request.url !== '/slow') response.end();
    });
  });
  const asked = (more: object) => ({ forwardAuth: { backendRef: { name: 'auth', port: 80 }, ...more } });
  const envoy = await start(
    t,
    plain,
    ruled('slow', 'body'),
    ...backend('auth', await listening(t, auth as Server)),
    policy('slow', asked({ timeout: '500ms', statusOnError: 504 })),
    policy('body', asked({ timeout: '5m', body: { maxBytes: 8 } })),
  );
  const port = await envoy.port('http/80');
  // Without `timeout` it would always be 10 s.
  await until('a wait of less', async () => {
    const askedAt = performance.now();
    t.is((await send(port, { host, path: '/slow' })).status, 504);
    return performance.now() - askedAt < 5000;
  });
  const post = async (body: string) => (await send(port, { host, path: '/body', method: 'POST', body })).status;
  t.is(await post('12345678'), 200);
  t.is(await post('123456789'), 413);
  t.deepEqual([...new Set(bodies)], ['', '12345678']);
});
