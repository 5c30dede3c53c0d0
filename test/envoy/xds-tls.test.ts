import { rmSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { freePort } from '../../scripts/free-port.ts';
import { type AccessFiles, openAccess } from '../../src/agent/index.ts';
import { type Authority, bundleOf } from '../../src/cluster/identity/index.ts';
import { AdmissionError, type Authenticator } from '../../src/xds/index.ts';
import { cluster, endpoints, httpListener, routes } from '../support/agent-resources.ts';
import {
  ask,
  eventually,
  gateway,
  record,
  startAgent,
  startBackend,
  startControlPlane,
  untilReady,
} from '../support/agent-world.ts';
import { pause } from '../support/pace.ts';
import { every, thorough } from '../support/repetitions.ts';
import { filesFor, type ServingOptions, serving, TestCertificates, testAuthority } from '../support/xds-tls.ts';

// One at a time: ten Envoys that start at once keep a small machine from all of them.
const logger = pino({ level: 'silent' });
const authority = await testAuthority();

/** Takes the token `good` for the Gateway of the test, and no other. */
const authenticator: Authenticator = {
  async admit({ token }) {
    if (token === undefined) throw new AdmissionError('unauthenticated', 'the client does not say who it is');
    if (token !== 'good' && token !== 'foreign') throw new AdmissionError('unauthenticated', 'the token is rejected');
    return { subject: token, rejects: () => (token === 'good' ? undefined : `${token} is not of ${gateway}`) };
  },
};

interface WorldOptions {
  readonly server?: ServingOptions;
  readonly trusts?: Pick<Authority, 'certificate'>;
  readonly serverName?: string;
  /** Null: there is no token file. */
  readonly token?: string | null;
}

/** A control plane that serves `backend` on `port` over TLS, and an agent that tries to get it. */
async function world(t: ExecutionContext, options: WorldOptions = {}) {
  const { server, trusts = authority, serverName = 'localhost', token = 'good' } = options;
  const certificates = new TestCertificates(await serving(authority, server));
  const [backend, controlPlane, port] = [
    await startBackend(t),
    await startControlPlane(t, { certificates, authenticator }),
    await freePort(),
  ];
  const listener = httpListener(port);
  controlPlane.publish('s1', [listener, routes(listener.name, 'c'), cluster('c'), endpoints('c', backend.port)]);
  const write = filesFor(t);
  const files: AccessFiles = {
    caFile: write('ca.crt', trusts.certificate),
    serverName,
    ...(token !== null && { tokenFile: write('token', token) }),
  };
  const agent = await startAgent(t, controlPlane.address, { access: await openAccess(files, logger) });
  return { agent, controlPlane, certificates, port, write, files };
}

type World = Awaited<ReturnType<typeof world>>;

const untilSays = ({ agent }: World, expected: RegExp) =>
  eventually(`last_disconnect_reason ${expected}`, async () =>
    expected.test((await record(agent, 'xds/status')).last_disconnect_reason ?? ''),
  );

const untilServing = async ({ agent, port }: World) => {
  await untilReady(agent);
  await eventually('an answer', async () => (await ask(port, '/')).body === 'backend');
};

test.serial('an agent that shows its token is served over TLS, and its Envoy carries traffic', async (t) => {
  const started = await world(t);
  await untilServing(started);
  t.like(await record(started.agent, 'xds/status'), { connected: true, stream_reconnects: 0 });
});

thorough(test.serial)('the certificate changes 20 times: no request is lost, and no stream', async (t) => {
  const started = await world(t);
  await untilServing(started);
  const { agent, certificates, port } = started;
  const before = await record(agent, 'xds/status');
  const answers = new Map<string, number>();
  let done = false;
  const load = (async () => {
    while (!done) {
      const answer = await ask(port, '/').then(
        ({ status }) => `${status}`,
        (error: Error) => error.message,
      );
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      await pause();
    }
  })();
  const answered = () => answers.get('200') ?? 0;
  for (let rotation = 0; rotation < 20; rotation += 1) {
    const former = answered();
    certificates.change(await serving(authority));
    await eventually('requests under the new certificate', () => answered() >= former + 5);
  }
  done = true;
  await load;
  t.log(`${answered()} requests`);
  t.deepEqual([...answers.keys()], ['200']);
  const after = await record(agent, 'xds/status');
  t.is(after.connected_since, before.connected_since, 'it is still the same stream');
  t.is(after.stream_reconnects, 0);
});

const rejections: readonly [title: string, options: () => Promise<WorldOptions>, reason: RegExp][] = [
  [
    'a CA that is not the control plane’s',
    async () => ({ trusts: await testAuthority() }),
    /of an unknown CA.*dataplane\.tls\.caFile/,
  ],
  ['another server name', async () => ({ serverName: 'other.test' }), /is for other names \(name mismatch\)/],
  ['an expired certificate', async () => ({ server: { endedDays: 1 } }), /certificate has expired/],
  ['no token', async () => ({ token: null }), /^UNAUTHENTICATED: the client does not say who it is$/],
  ['a token that is none', async () => ({ token: 'bad' }), /^UNAUTHENTICATED: the token is rejected$/],
  [
    'the token of another Gateway',
    async () => ({ token: 'foreign' }),
    /^PERMISSION_DENIED: foreign is not of test\/edge$/,
  ],
];
for (const [title, options, reason] of every(3, rejections)) {
  test.serial(`${title}: no configuration, and the agent says why`, async (t) => {
    const started = await world(t, await options());
    await untilSays(started, reason);
    t.like(await record(started.agent, 'xds/status'), { stream_reconnects: 0, last_config_version: null });
    t.is((await ask(started.agent.adminPort, '/readyz')).status, 503);
    t.deepEqual(started.controlPlane.server.nodes.list(), []);
  });
}

thorough(test.serial)('files that are fixed are read again, with no restart', async (t) => {
  const stranger = await testAuthority();
  const started = await world(t, { trusts: stranger, token: 'bad' });
  await untilSays(started, /of an unknown CA/);
  started.write('ca.crt', bundleOf([stranger, authority]));
  await untilSays(started, /^UNAUTHENTICATED/);
  started.write('token', 'good\n');
  await untilServing(started);
  t.pass();
});

test.serial('a token file that is gone is named, and Envoy serves on meanwhile', async (t) => {
  const started = await world(t);
  await untilServing(started);
  rmSync(started.files.tokenFile ?? '');
  await started.controlPlane.stop();
  await started.controlPlane.start();
  await untilSays(started, /^dataplane\.tokenFile: .* cannot be read \(ENOENT\)/);
  t.is((await ask(started.port, '/')).body, 'backend');
  started.write('token', 'good');
  await eventually('a stream', async () => (await record(started.agent, 'xds/status')).connected);
});
