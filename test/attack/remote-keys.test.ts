import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import test, { type ExecutionContext } from 'ava';
import { exportJWK, generateSecret, SignJWT } from 'jose';
import { freePort } from '../../scripts/free-port.ts';
import type { PolicyStatus } from '../../src/gateway-api/index.ts';
import { issue } from '../support/certificates.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import {
  issuer,
  json,
  jwtPolicy,
  type KeyServer,
  keyServerAddresses,
  keySet,
  signer,
  startKeyServer,
} from '../support/key-server.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

// A tenant who writes AccessPolicies, and a server of keys that lies. The victim is a neighbour with an honest provider.

interface World {
  readonly gateway: Standalone;
  readonly status: (route: string, token?: string) => Promise<number>;
  readonly conditions: (policy: string) => string;
}

/** Routes `NAME` for NAME.test with the policies given, beside `good` with keys of an honest server. */
async function world(
  t: ExecutionContext,
  policies: readonly object[],
  names: readonly string[],
  allowedAddresses: readonly string[] = keyServerAddresses,
): Promise<World> {
  const web = await startBackend(t);
  const gateway = await startStandalone(
    {
      'web.yaml': [
        ...serviceObjects('web', [web.port]),
        ...names.map((name) => routeObject(name, `${name}.test`, [{ backendRefs: [{ name: 'web', port: 80 }] }])),
      ],
      'policies.yaml': policies,
    },
    { allowedAddresses },
  );
  t.teardown(() => gateway.stop());
  const status = async (name: string, token?: string) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await send(gateway.port, { host: `${name}.test`, headers })).status;
  };
  await until('the port to be open', () => status('unknown'));
  return { gateway, status, conditions: (name) => conditionsOf(gateway, name) };
}

function conditionsOf({ control }: Standalone, name: string): string {
  const { ancestors = [] } = (control.graph.statusOf('AccessPolicy', `default/${name}`) ?? {}) as Partial<PolicyStatus>;
  return ancestors
    .flatMap(({ conditions }) => conditions.map((one) => `${one.type}=${one.status} ${one.reason} ${one.message}`))
    .join('; ');
}

const at = (server: KeyServer, path: string, ca = 'id-ca') => ({
  url: `${server.url}${path}`,
  caCertificateRefs: [{ name: ca }],
});

test('no spelling of a forbidden address is called, and each policy says so', async (t) => {
  const trap = await startKeyServer(t);
  const hosts: Readonly<Record<string, string>> = {
    loopback: `127.0.0.1:${trap.port}`,
    name: `localhost:${trap.port}`,
    below: `a.localhost:${trap.port}`,
    decimal: `2130706433:${trap.port}`,
    octal: `0177.0.0.1:${trap.port}`,
    six: `[::1]:${trap.port}`,
    mapped: `[::ffff:127.0.0.1]:${trap.port}`,
    any: `0.0.0.0:${trap.port}`,
    metadata: '169.254.169.254',
    google: 'metadata.google.internal',
    azure: '168.63.129.16',
    cluster: 'web.other.svc',
    admin: 'gatewright-admin.gatewright-system.svc.cluster.local',
  };
  const names = Object.keys(hosts);
  const policies = names.flatMap((name) => [
    jwtPolicy(`${name}-url`, name, { url: `https://${hosts[name]}/keys`, caCertificateRefs: [{ name: 'id-ca' }] }),
    jwtPolicy(`${name}-issuer`, `${name}-d`, { discovery: {} }, { issuer: `https://${hosts[name]}` }),
  ]);
  const routes = names.flatMap((name) => [name, `${name}-d`]);
  const odd = jwtPolicy('odd', 'odd', { url: 'https://[zz/keys' });
  const { gateway, status, conditions } = await world(
    t,
    [...policies, odd, trap.trust('id-ca')],
    [...routes, 'odd'],
    [],
  );
  for (const name of names) {
    for (const policy of [`${name}-url`, `${name}-issuer`])
      await untilFits(
        `${policy} to say so`,
        () => conditions(policy),
        (text) => /HostnameNotAllowed/.test(text),
      );
    await until(
      `${name} to be closed`,
      async () => (await status(name)) === 500 && (await status(`${name}-d`)) === 500,
    );
  }
  await untilFits(
    'what is no URL to be said',
    () => conditions('odd'),
    (text) => /Invalid .*no https URL/.test(text),
  );
  t.deepEqual(trap.requests, []);
  const tried = gateway.log.filter(({ component }) => component === 'keys').map(({ place }) => place);
  t.deepEqual(tried, [], 'no name is even looked up');
});

thorough(test)('ports of the control plane are not asked by its own address', async (t) => {
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  if (own === undefined) {
    t.pass('this machine has no other address');
    return;
  }
  const policy = jwtPolicy('own', 'own', { url: `https://${own}:8080/v1/summary` });
  const { conditions } = await world(t, [policy], ['own']);
  await untilFits(
    'the status to say so',
    () => conditions('own'),
    (text) => /KeysNotFetched .*an address of the control plane/.test(text),
  );
  t.pass();
});

test('redirects and documents lead to no forbidden address and to no plain text', async (t) => {
  const server = await startKeyServer(t);
  const plain = await startBackend(t, json(keySet([await signer('plain')])));
  const targets: Readonly<Record<string, readonly [string, RegExp]>> = {
    metadata: ['https://169.254.169.254/latest', /169\.254\.169\.254, a link-local address/],
    cluster: ['https://gatewright-admin.gatewright-system.svc/v1', /a name of the cluster/],
    plain: [`http://localhost:${plain.port}/keys`, /no https URL/],
    file: ['file:///etc/passwd', /no https URL/],
    credentials: ['https://u:p@id.example.com/', /no https URL/],
    loop: [`${server.url}/redirect/loop`, /redirects more than 3 times/],
  };
  server.answer = (request, response) => {
    const [, what = '', name = ''] = (request.url ?? '').split('/');
    const location = targets[name]?.[0] ?? '';
    if (what === 'redirect') response.writeHead(302, { location }).end();
    else if (name !== 'loop')
      json(JSON.stringify({ issuer: `${server.url}/document/${name}`, jwks_uri: location }))(request, response);
    else response.writeHead(404).end();
  };
  const names = Object.keys(targets);
  const policies = names.flatMap((name) => [
    jwtPolicy(`${name}-r`, `${name}-r`, at(server, `/redirect/${name}`)),
    jwtPolicy(
      `${name}-d`,
      `${name}-d`,
      { discovery: {}, caCertificateRefs: [{ name: 'id-ca' }] },
      { issuer: `${server.url}/document/${name}` },
    ),
  ]);
  const { status, conditions } = await world(
    t,
    [...policies, server.trust('id-ca')],
    names.flatMap((name) => [`${name}-r`, `${name}-d`]),
  );
  for (const [name, [, message]] of Object.entries(targets)) {
    for (const policy of name === 'loop' ? [`${name}-r`] : [`${name}-r`, `${name}-d`]) {
      await untilFits(
        `${policy} to say so`,
        () => conditions(policy),
        (text) => message.test(text),
      );
      t.is(await status(policy), 503, policy);
    }
  }
  t.deepEqual(plain.requests, []);
});

thorough(test)('a lying server gets no key in, and its neighbour’s tokens are taken all along', async (t) => {
  const [honest, liar] = [await startKeyServer(t), await startKeyServer(t)];
  const [ann, mallory] = [await signer('ann'), await signer('mallory')];
  honest.answer = json(keySet([ann]));
  const secret = await generateSecret('HS256', { extractable: true });
  const oct = { ...(await exportJWK(secret)), kid: 'oct', alg: 'HS256' };
  const many = Array.from({ length: 5000 }, (_, index) => ({ ...mallory.jwk, kid: `k${index}` }));
  const lies: Readonly<Record<string, readonly [KeyServer['answer'], RegExp]>> = {
    huge: [json(' '.repeat(2 * 1024 * 1024)), /more than 1024 KiB/],
    endless: [
      (_, response) => {
        response.writeHead(200);
        const more = () => {
          while (response.write('x'.repeat(65536))) {}
        };
        response.on('drain', more);
        more();
      },
      /more than 1024 KiB/,
    ],
    slow: [(_, response) => void response.writeHead(200).write('{'), /did not answer in time/],
    silent: [() => {}, /did not answer in time/],
    html: [json('<html>sign in</html>'), /no JSON Web Key Set/],
    empty: [json('{"keys":[]}'), /has no keys/],
    symmetric: [json(JSON.stringify({ keys: [oct] })), /no public key/],
    many: [json(JSON.stringify({ keys: many })), /larger than 64 KiB/],
    broken: [(_, response) => response.destroy(), /cannot be reached/],
  };
  liar.answer = (request, response) => lies[(request.url ?? '/').slice(1)]?.[0](request, response);
  const names = Object.keys(lies);
  const { status, conditions } = await world(
    t,
    [
      ...names.map((name) => jwtPolicy(name, name, at(liar, `/${name}`, 'liar-ca'))),
      jwtPolicy('good', 'good', at(honest, '/keys')),
      honest.trust('id-ca'),
      liar.trust('liar-ca'),
    ],
    [...names, 'good'],
  );
  const token = await ann.token();
  await until('the neighbour to serve', async () => (await status('good', token)) === 200);
  const forged = await new SignJWT({ sub: 'root' })
    .setProtectedHeader({ alg: 'HS256', kid: 'oct' })
    .setIssuer(issuer)
    .setExpirationTime('1h')
    .sign(secret);
  for (const [name, [, message]] of Object.entries(lies)) {
    await untilFits(
      `${name} to say so`,
      () => conditions(name),
      (text) => message.test(text),
    );
    for (const tried of [forged, await mallory.token(), token]) t.is(await status(name, tried), 503, name);
    t.is(await status('good', token), 200);
  }
  t.is(await status('good', forged), 401);
});

thorough(test)(
  'keys that a symmetric one is among come without it, and nothing of them that proxies do not need',
  async (t) => {
    const server = await startKeyServer(t);
    const ann = await signer('ann');
    const secret = await generateSecret('HS256', { extractable: true });
    server.answer = json(
      keySet(
        [ann],
        [
          { ...(await exportJWK(secret)), kid: 'oct', alg: 'HS256' },
          { ...ann.jwk, x5c: ['PLANTED'], d: 'PRIVATE' },
        ],
      ),
    );
    const { gateway, status } = await world(
      t,
      [jwtPolicy('idp', 'idp', at(server, '/')), server.trust('id-ca')],
      ['idp'],
    );
    await until('the token to be taken', async () => (await status('idp', await ann.token())) === 200);
    const forged = await new SignJWT({ sub: 'root' })
      .setProtectedHeader({ alg: 'HS256', kid: 'oct' })
      .setIssuer(issuer)
      .setExpirationTime('1h')
      .sign(secret);
    t.is(await status('idp', forged), 401);
    const kept = JSON.stringify([...gateway.control.graph.list('ConfigMap')]);
    // The name of a key, in quotes: three letters alone may be within the key that stays.
    t.notRegex(kept, /PLANTED|PRIVATE|"oct\\*"/);
  },
);

/** Two servers on one port with other certificates: the second tenant's network answers for the same name. */
thorough(test)(
  'a tenant who names authorities of his own never gives keys to one who names others for the same URL',
  async (t) => {
    // Another server is to open its port later.
    const server = await startKeyServer(t, await freePort());
    const ann = await signer('ann');
    server.answer = json(keySet([ann]));
    const other = await issue('localhost');
    const mallory = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'own-ca' },
      data: { 'ca.crt': other.certificate },
    };
    const { status, conditions } = await world(
      t,
      [
        jwtPolicy('good', 'good', at(server, '/keys')),
        jwtPolicy('mallory', 'mallory', at(server, '/keys', 'own-ca')),
        jwtPolicy('system', 'system', { url: `${server.url}/keys` }),
        server.trust('id-ca'),
        mallory,
      ],
      ['good', 'mallory', 'system'],
    );
    const token = await ann.token();
    await until('the first to serve', async () => (await status('good', token)) === 200);
    for (const name of ['mallory', 'system']) {
      await untilFits(
        `${name} to say so`,
        () => conditions(name),
        (text) => /KeysNotFetched .*cannot be reached: .*certificate/.test(text),
      );
      t.is(await status(name, token), 503, name);
    }
    // The server of the other certificate takes the port over.
    await server.stop();
    const forger = await signer('ann');
    const taken = https.createServer({ cert: other.certificate, key: other.key }, json(keySet([forger])));
    await new Promise<void>((resolve) => taken.listen(server.port, '127.0.0.1', resolve));
    t.teardown(() => {
      taken.closeAllConnections();
      taken.close();
    });
    t.is((taken.address() as AddressInfo).port, server.port);
    const bad = await forger.token();
    await until('the other to serve', async () => (await status('mallory', bad)) === 200);
    t.is(await status('good', bad), 401);
    t.is(await status('good', token), 200);
  },
);
