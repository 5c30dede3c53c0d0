import { request as httpsRequest } from 'node:https';
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls';
import test from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { ownObject } from '../support/objects.ts';
import { crowdObjects, isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** Sessions, signature algorithms and fingerprints of clients' TLS, through the running program with a real Envoy. */

const hosts = ['web.test', 'x.wide.test', 'parted.test'];

const policy = (spec: object) =>
  ownObject('ListenerPolicy', 'edge', {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
    ...spec,
  });

async function startWorld(t: Parameters<typeof startBackend>[0], spec: object) {
  const authority = await createAuthority('ours');
  const { certificatePem, keyPem } = await authority.issue({ hostnames: hosts });
  const [port, plain] = [await freePort(), await freePort()];
  const backend = await startBackend(t);
  const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];
  const gateway = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name: 'edge' },
    spec: {
      gatewayClassName: 'gatewright',
      listeners: [
        { name: 'http', port: plain, protocol: 'HTTP' },
        { name: 'https', port, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'web' }] } },
      ],
    },
  };
  const world = await startStandalone({
    'web.yaml': [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/tls',
        metadata: { name: 'web' },
        stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem },
      },
      ...serviceObjects('web', [backend.port]),
      routeObject('web', 'web.test', toWeb),
      routeObject('wide', '*.wide.test', toWeb),
      routeObject('parted', 'parted.test', toWeb),
      ...crowdObjects('parted.test', 'web'),
    ],
    'edge.yaml': [gateway],
    'policy.yaml': [policy(spec)],
  });
  t.teardown(world.stop);
  world.write('gateway.yaml', ...world.gatewayObjects.slice(0, 1));
  const options = { host: '127.0.0.1', port, servername: 'web.test', ca: authority.certificatePem };
  /** Undefined: there was no handshake. */
  const handshake = (more: ConnectionOptions = {}) =>
    new Promise<TLSSocket | undefined>((resolve) => {
      const socket = tlsConnect({ ...options, ...more });
      socket.once('secureConnect', () => resolve(socket));
      socket.once('error', () => resolve(undefined));
    });
  await untilFits('a handshake', () => handshake(), Boolean);
  const current = () => untilFits('the policy to be in force', () => isCurrent(world), Boolean);
  return { ...world, port, plain, backend, options, handshake, current };
}

/** Whether a second connection continues the session of the first. */
async function isContinued(
  handshake: (more: ConnectionOptions) => Promise<TLSSocket | undefined>,
  version: 'TLSv1.2' | 'TLSv1.3',
): Promise<boolean> {
  const versions = { minVersion: version, maxVersion: version };
  const first = await handshake(versions);
  if (!first) throw new Error('no handshake');
  // By TLS 1.3 the ticket comes behind the handshake: with the answer at the latest.
  let session: Buffer | undefined = version === 'TLSv1.2' ? first.getSession() : undefined;
  first.on('session', (one: Buffer) => {
    session = one;
  });
  first.write('GET / HTTP/1.1\r\nhost: web.test\r\nconnection: close\r\n\r\n');
  for await (const _ of first);
  const second = await handshake({ ...versions, ...(session && { session }) });
  const isReused = second?.isSessionReused() ?? false;
  second?.destroy();
  return isReused;
}

test('sessions are continued in the ways that are allowed', async (t) => {
  const { handshake, write, current } = await startWorld(t, { tls: { handshakeTimeout: '9s' } });
  const ways = async () => [await isContinued(handshake, 'TLSv1.2'), await isContinued(handshake, 'TLSv1.3')];
  t.deepEqual(await ways(), [true, true]);
  for (const [sessionResumption, expected] of [
    ['None', [false, false]],
    ['Tickets', [true, true]],
    ['IDs', [true, false]],
  ] as const) {
    write('policy.yaml', policy({ tls: { sessionResumption } }));
    await current();
    await untilFits(sessionResumption, ways, (found) => JSON.stringify(found) === JSON.stringify(expected));
  }
  t.pass();
});

test('handshakes are signed with the algorithms that are allowed', async (t) => {
  const { handshake, write } = await startWorld(t, {
    tls: { signatureAlgorithms: ['ecdsa_secp256r1_sha256', 'rsa_pss_rsae_sha256'] },
  });
  const speaks = async (sigalgs: string) => {
    const socket = await handshake({ sigalgs, minVersion: 'TLSv1.3' });
    socket?.destroy();
    return socket !== undefined;
  };
  t.true(await speaks('ecdsa_secp256r1_sha256'));
  // That of the certificate is none of these.
  write('policy.yaml', policy({ tls: { signatureAlgorithms: ['ecdsa_secp384r1_sha384', 'rsa_pss_rsae_sha512'] } }));
  await untilFits(
    'no handshake',
    () => speaks('ecdsa_secp256r1_sha256'),
    (found) => !found,
  );
  write('policy.yaml', policy({ tls: { minVersion: '1.2' } }));
  await untilFits('a handshake', () => speaks('ecdsa_secp256r1_sha256'), Boolean);
});

test('backends learn the fingerprint of a client, and never what the client says it is', async (t) => {
  const add = ['X-JA3-Fingerprint', 'X-JA4-Fingerprint'];
  const { options, plain, backend } = await startWorld(t, { headers: { forwarded: { add } } });
  const forged = { 'x-ja3-fingerprint': 'f'.repeat(32), 'X-JA4-Fingerprint': 'forged' };
  const askEncrypted = (host: string, more: object = {}) =>
    new Promise<number | undefined>((resolve, reject) =>
      httpsRequest({ ...options, headers: { ...forged, host }, agent: false, ...more }, (answer) =>
        resolve(answer.resume().statusCode),
      )
        .once('error', reject)
        .end(),
    );
  const shown = () => add.map((name) => backend.seen.at(-1)?.[name.toLowerCase()]);
  for (const host of hosts) {
    await untilFits(
      'a 200',
      () => askEncrypted(host),
      (status) => status === 200,
    );
    const [ja3, ja4] = shown();
    t.regex(String(ja3), /^[0-9a-f]{32}$/, host);
    t.not(ja3, forged['x-ja3-fingerprint']);
    t.regex(String(ja4), /^t13d[0-9a-z_]+$/, host);
    await askEncrypted(host, { maxVersion: 'TLSv1.2' });
    t.not(shown()[0], ja3, 'another way to open a connection');
    t.is((await send(plain, { host, headers: forged })).status, 200);
    t.deepEqual(shown(), [undefined, undefined], `${host} without TLS`);
  }
});
