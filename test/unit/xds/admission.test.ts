import { status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { typeUrls } from '../../../src/envoy/index.ts';
import { AdmissionError, type Authenticator, type TerminationReason } from '../../../src/xds/index.ts';
import { RejectionLog } from '../../../src/xds/rejections/rejection-log.ts';
import { type ClientOptions, DeltaClient, SotwClient } from '../../support/grpc.ts';
import { unscraped } from '../../support/metrics.ts';
import { until } from '../../support/until.ts';
import { fakeResource, publicationOf, startXds } from '../../support/xds.ts';

const { cluster, secret } = typeUrls;

/** A client's token is the Gateway whose proxy it is. */
const byToken: Authenticator = {
  async admit({ token }) {
    if (token === undefined) throw new AdmissionError('unauthenticated', 'no token');
    if (token === 'later') throw new AdmissionError('unavailable', 'the check is not available');
    if (token === 'broken') throw new TypeError('a fault of ours');
    return {
      subject: token,
      rejects: (claim) => (claim.cluster === token ? undefined : `${token} is not ${claim.cluster}`),
    };
  },
};

/** A server with two Gateways, each with a secret. */
async function world(t: ExecutionContext, authenticator = byToken) {
  const reasons: TerminationReason[] = [];
  const lines: string[] = [];
  const write = (_fields: object, message: string) => void lines.push(message);
  const { server, port } = await startXds(t, {
    authenticator,
    logger: { debug() {}, info() {}, warn: write, error: write } as never,
    metrics: { ...unscraped(), streamClosed: (reason) => void reasons.push(reason) },
  });
  const changeOf = (gateway: string) => ({
    gateway,
    upserts: [
      fakeResource(cluster, `${gateway}/backend`),
      fakeResource(secret, `${gateway}/certificate`, `private key of ${gateway}`),
    ],
    removals: [],
  });
  server.publish(publicationOf('s1', [changeOf('shop/edge'), changeOf('bank/edge')]));
  const client = <C extends DeltaClient | SotwClient = DeltaClient>(
    options: Omit<ClientOptions, 'target'>,
    Client: new (options: ClientOptions) => C = DeltaClient as never,
  ): C => {
    const made = new Client({ target: port, ...options });
    t.teardown(() => made.close());
    return made;
  };
  return { server, reasons, lines, client };
}

const rejections: readonly [
  title: string,
  token: string | undefined,
  code: status,
  details: RegExp,
  reason: TerminationReason,
][] = [
  ['that says not who it is', undefined, status.UNAUTHENTICATED, /^no token$/, 'unauthenticated'],
  ['of another Gateway', 'bank/edge', status.PERMISSION_DENIED, /^bank\/edge is not shop\/edge$/, 'unauthenticated'],
  ['that cannot be judged now', 'later', status.UNAVAILABLE, /^the check is not available$/, 'error'],
  ['that a fault of ours befalls', 'broken', status.INTERNAL, /^internal error$/, 'error'],
];

for (const [title, token, code, details, reason] of rejections) {
  for (const Client of [DeltaClient, SotwClient]) {
    test(`${Client.name}: a client ${title} is rejected with a status that says why, and counted`, async (t) => {
      const { server, reasons, client } = await world(t);
      const rejected = client<DeltaClient | SotwClient>({ cluster: 'shop/edge', ...(token && { token }) }, Client);
      rejected.subscribe(secret);
      const end = await rejected.ended;
      t.is(end.code, code);
      t.regex(end.details, details);
      t.deepEqual(reasons, [reason]);
      t.deepEqual(server.nodes.list(), [], 'it never was a node');
    });
  }
}

test('a client that says who it is gets what is its own Gateway’s, whatever it asks for', async (t) => {
  const { client } = await world(t);
  const own = client({ cluster: 'shop/edge', token: 'shop/edge' });
  own.subscribe(cluster);
  t.deepEqual(
    (await own.take(cluster)).resources.map(({ name }) => name),
    ['shop/edge/backend'],
  );
  own.subscribe(secret, 'shop/edge/certificate', 'bank/edge/certificate');
  const answers = [await own.take(secret), ...(await own.drain())];
  const sent = answers.flatMap(({ resources }) => resources);
  t.deepEqual(
    sent.filter(({ resource }) => resource !== undefined).map(({ name }) => name),
    ['shop/edge/certificate'],
    'the secret of another Gateway does not exist for it',
  );
  const bodies = sent.map(({ resource }) => Buffer.from(resource?.value ?? []).toString());
  t.false(bodies.join().includes('private key of bank'));
});

test('a node id of another Gateway takes nothing from its node, whichever of the two connects first', async (t) => {
  const { server, client } = await world(t);
  const squatter = client({ nodeId: 'pod-1', cluster: 'shop/edge', token: 'shop/edge' });
  squatter.subscribe(cluster);
  await squatter.take(cluster);
  const victim = client({ nodeId: 'pod-1', cluster: 'bank/edge', token: 'bank/edge' });
  victim.subscribe(cluster);
  t.deepEqual(
    (await victim.take(cluster)).resources.map(({ name }) => name),
    ['bank/edge/backend'],
  );
  const again = client({ nodeId: 'pod-1', cluster: 'shop/edge', token: 'shop/edge' });
  again.subscribe(cluster);
  await again.take(cluster);
  t.is((await squatter.ended).code, status.ABORTED);
  t.like(server.nodes.find('pod-1', 'bank/edge'), { connected: true, cluster: 'bank/edge', supersededCount: 0 });
  t.like(server.nodes.find('pod-1', 'shop/edge'), { connected: true, cluster: 'shop/edge', supersededCount: 1 });
  t.is(server.nodes.list().length, 2);
});

test('nothing is read of a client until it is known who it is', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const { server, client } = await world(t, {
    async admit(credentials) {
      asked.resolve();
      await promise;
      return byToken.admit(credentials);
    },
  });
  const patient = client({ nodeId: 'slow', cluster: 'shop/edge', token: 'shop/edge' });
  patient.subscribe(cluster);
  await asked.promise;
  t.is(server.nodes.find('slow'), undefined);
  resolve();
  t.is((await patient.take(cluster)).resources.length, 1);
});

test('a client that left while it was being judged leaves nothing behind', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  const { server, reasons, client } = await world(t, {
    async admit(credentials) {
      asked += 1;
      await promise;
      return byToken.admit(credentials);
    },
  });
  const hasty = client({ nodeId: 'hasty', cluster: 'shop/edge', token: 'shop/edge' });
  hasty.subscribe(cluster);
  const other = client({ nodeId: 'other', cluster: 'shop/edge', token: 'shop/edge' });
  other.subscribe(cluster);
  await until('both to be judged', () => asked === 2);
  hasty.close();
  await until('its end', () => reasons.includes('client_disconnect'));
  resolve();
  await other.take(cluster);
  t.deepEqual(
    server.nodes.list().map(({ nodeId }) => nodeId),
    ['other'],
  );
});

test('a client that is rejected again and again is one line in the log', async (t) => {
  const { reasons, lines, client } = await world(t);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const rejected = client({ cluster: 'shop/edge' });
    rejected.subscribe(cluster);
    await rejected.ended;
  }
  t.is(reasons.length, 5);
  t.deepEqual(lines, ['xDS stream rejected or ended before its first request']);
});

test('an equal line comes once a minute and says how many were held back; made-up ones fill nothing', (t) => {
  const log = new RejectionLog();
  t.is(log.admit('a', 0), 0);
  t.is(log.admit('a', 1_000), undefined);
  t.is(log.admit('a', 59_000), undefined);
  t.is(log.admit('b', 59_000), 0);
  t.is(log.admit('a', 60_000), 2);
  for (let i = 0; i < 1_000; i += 1) log.admit(`made up ${i}`, 60_000);
  t.is(log.admit('one more', 60_000), undefined);
  t.is(log.admit('one more', 200_000), 0);
});
