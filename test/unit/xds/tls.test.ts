import { connect, type TLSSocket } from 'node:tls';
import { credentials, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { createAuthority as createClientAuthority } from '../../../scripts/example/certificate.ts';
import { type Authority, createAuthenticator } from '../../../src/cluster/identity/index.ts';
import { typeUrls } from '../../../src/envoy/index.ts';
import { type ClientOptions, DeltaClient } from '../../support/grpc.ts';
import { unscraped } from '../../support/metrics.ts';
import { until } from '../../support/until.ts';
import { fakeResource, publisher, startXds } from '../../support/xds.ts';
import { serving, TestCertificates, testAuthority, trusting } from '../../support/xds-tls.ts';

const { cluster } = typeUrls;
const authority = await testAuthority();
const clientAuthority = await createClientAuthority('proxies');
const clientsAllowed = { clientAuthorities: clientAuthority.certificatePem };
const byCertificate = createAuthenticator({ byCertificate: true });

interface Line {
  readonly peer: string;
  readonly details: string;
}

async function world(t: ExecutionContext, first: TestCertificates, mutual = false) {
  const lines: Line[] = [];
  let rejected = 0;
  const { server, port } = await startXds(t, {
    certificates: first,
    ...(mutual && { authenticator: byCertificate }),
    logger: { debug() {}, info() {}, warn: (line: Line) => void lines.push(line), error() {} } as never,
    metrics: {
      ...unscraped(),
      connectionRefused() {
        rejected += 1;
      },
    },
  });
  publisher(server, 'shop/edge')({ upserts: [fakeResource(cluster, 'a')] });
  const client = (options: Omit<ClientOptions, 'target'>) => {
    const made = new DeltaClient({ target: port, cluster: 'shop/edge', ...options });
    t.teardown(() => made.close());
    return made;
  };
  return { server, port, lines, client, rejected: () => rejected };
}

const ended = async (client: DeltaClient) => {
  client.subscribe(cluster);
  return await client.ended;
};

test('a client that knows the authority is served over TLS, and keeps its stream when the certificate changes', async (t) => {
  const certificates = new TestCertificates(await serving(authority));
  const { server, port, client } = await world(t, certificates);
  const early = client({ nodeId: 'early', credentials: trusting(authority) });
  early.subscribe(cluster);
  t.is((await early.take(cluster)).resources.length, 1);
  const before = await shown(port, authority);
  certificates.change(await serving(authority));
  t.not(await shown(port, authority), before, 'who connects now is shown the new one');
  publisher(server, 'shop/edge')({ upserts: [fakeResource(cluster, 'b')] }, 's2');
  t.deepEqual(
    (await early.take(cluster)).resources.map(({ name }) => name),
    ['b'],
  );
  t.like(server.nodes.find('early'), { connected: true, supersededCount: 0 });
});

test('a client that does not know the authority gets no stream, which is said and counted', async (t) => {
  const { server, lines, client, rejected } = await world(t, new TestCertificates(await serving(authority)));
  const { code, details } = await ended(client({ credentials: trusting(await testAuthority()) }));
  t.is(code, status.UNAVAILABLE);
  t.regex(details, /certificate/);
  await until('the line', () => lines.length > 0);
  t.regex(lines[0]!.details, /as clients do that do not trust our certificate/);
  t.true(rejected() > 0);
  t.deepEqual(server.nodes.list(), []);
});

test('a client that speaks plain text gets no stream', async (t) => {
  const { lines, client } = await world(t, new TestCertificates(await serving(authority)));
  t.is((await ended(client({}))).code, status.UNAVAILABLE);
  await until('the line', () => lines.some(({ details }) => details.startsWith('TLS handshake failed')));
});

test('with client certificates: one of the authority is admitted, and only for its own Gateway', async (t) => {
  const { client } = await world(t, new TestCertificates(await serving(authority, clientsAllowed)), true);
  const own = await clientAuthority.issue({ hostnames: ['p'], uris: ['spiffe://test/gateway/shop/edge'] });
  const admitted = client({ credentials: trusting(authority, own) });
  admitted.subscribe(cluster);
  t.is((await admitted.take(cluster)).resources.length, 1);
  const foreign = client({ cluster: 'bank/edge', nodeId: 'n2', credentials: trusting(authority, own) });
  const { code, details } = await ended(foreign);
  t.is(code, status.PERMISSION_DENIED);
  t.regex(details, /bank\/edge is not the Gateway of the client certificate/);
});

const yesterday = new Date(Date.now() - 3_600_000);
const mutualRejections: readonly [
  title: string,
  issue: () => ReturnType<typeof clientAuthority.issue> | undefined,
  details: RegExp,
][] = [
  ['none', () => undefined, /does not say who it is: send a client certificate/],
  [
    'one that expired',
    () => clientAuthority.issue({ hostnames: ['p'], ends: yesterday }),
    /is rejected: it has expired/,
  ],
  [
    'one of another authority',
    async () => (await createClientAuthority('others')).issue({ hostnames: ['p'] }),
    /is rejected: it is of an unknown authority/,
  ],
  [
    'one of something else',
    () => clientAuthority.issue({ hostnames: ['p'], uris: ['spiffe://test/ns/a/sa/b'] }),
    /is that of spiffe:\/\/test\/ns\/a\/sa\/b/,
  ],
];
for (const [title, issue, expected] of mutualRejections) {
  test(`with client certificates: a client with ${title} is rejected with the reason`, async (t) => {
    const { lines, client } = await world(t, new TestCertificates(await serving(authority, clientsAllowed)), true);
    const { code, details } = await ended(client({ credentials: trusting(authority, await issue()) }));
    t.is(code, status.UNAUTHENTICATED);
    t.regex(details, expected);
    t.regex(lines[0]!.details, expected);
  });
}

test('authorities of clients that change count for new connections', async (t) => {
  const certificates = new TestCertificates(await serving(authority, clientsAllowed));
  const { client } = await world(t, certificates, true);
  const others = await createClientAuthority('others');
  const own = await others.issue({ hostnames: ['p'] });
  t.is((await ended(client({ credentials: trusting(authority, own) }))).code, status.UNAUTHENTICATED);
  certificates.change(await serving(authority, { clientAuthorities: others.certificatePem }));
  const admitted = client({ credentials: trusting(authority, own) });
  admitted.subscribe(cluster);
  t.is((await admitted.take(cluster)).resources.length, 1);
});

test('closing ends streams over TLS in good order', async (t) => {
  const { server, client } = await world(t, new TestCertificates(await serving(authority)));
  const open = client({ credentials: credentials.createSsl(Buffer.from(authority.certificate)) });
  open.subscribe(cluster);
  await open.take(cluster);
  await server.close();
  t.is((await open.ended).code, status.UNAVAILABLE);
});

/** Fingerprint of the certificate that a client is shown. */
function shown(port: number, { certificate: ca }: Authority): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect(
      { host: '127.0.0.1', port, ca, servername: 'localhost', ALPNProtocols: ['h2'] },
      () => {
        resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? 'none');
        socket.destroy();
      },
    );
    socket.once('error', reject);
  });
}
