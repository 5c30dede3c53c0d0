import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { extract } from 'tar';
import { stringify } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { aiService, credential } from '../support/ai.ts';
import { issue } from '../support/certificates.ts';
import { type Running, runProgram, startProgram } from '../support/program.ts';
import { request } from '../support/request.ts';
import { routeObject } from '../support/standalone.ts';
import { until } from '../support/until.ts';

// A person who has an account on the machine of a gateway, or is sent what its commands collect, looks for keys. `secrets.test.ts` of test/envoy looks
// through what ports answer.

const word = (): string => `hush${randomBytes(16).toString('hex')}`;

interface World {
  readonly program: Running;
  readonly pid: number;
  /** All that it may write to. */
  readonly folders: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly metrics: string;
  /** In every form that things are written down in. */
  readonly planted: readonly string[];
  /** Those that a port of users shows that it has. */
  readonly httpsPort: number;
}

function folder(t: ExecutionContext, name: string): string {
  const path = mkdtempSync(join(tmpdir(), `gatewright-planted-${name}-`));
  // As /tmp is, and folders that people make: what is put into it has to look after itself.
  chmodSync(path, 0o755);
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function start(t: ExecutionContext): Promise<World> {
  const [own, directory, state, temporary] = ['own', 'files', 'state', 'tmp'].map((name) => folder(t, name)) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const secrets = { token: word(), reader: word(), session: word(), provider: word() };
  const file = (name: keyof typeof secrets) => {
    const path = join(own, name);
    writeFileSync(path, secrets[name], { mode: 0o600 });
    return path;
  };
  const { certificate, key } = await issue('planted.test');
  const ports = {
    layout1: await freePort(),
    layout2: await freePort(),
    metrics: await freePort(),
    agent: await freePort(),
    https: await freePort(),
  };
  const at = (port: number) => `127.0.0.1:${port}`;
  const config = join(own, 'config.json');
  writeFileSync(
    config,
    JSON.stringify({
      adminAuth: { bearerTokenFile: file('token'), readOnlyBearerTokenFile: file('reader') },
      xds: { listen: '127.0.0.1:0' },
      admin: { listen: at(ports.layout1), layout2Listen: at(ports.layout2) },
      metrics: { listen: at(ports.metrics) },
      state: { directory: state },
      backends: { allowedAddresses: ['127.0.0.1/32'] },
      sessionPersistence: { secretKeyFile: file('session') },
      dataplane: { adminListen: at(ports.agent) },
      log: { level: 'debug' },
    }),
  );
  const objects = [
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: 'gatewright' },
      spec: { controllerName: 'gatewright.dev/gateway-controller' },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'edge' },
      spec: {
        gatewayClassName: 'gatewright',
        listeners: [
          { name: 'https', port: ports.https, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'served' }] } },
        ],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { name: 'served' },
      stringData: { 'tls.crt': certificate, 'tls.key': key },
    },
    credential('provider', secrets.provider),
    aiService('openai', 1, {
      provider: 'openai',
      // Nothing is sent there, but where nothing may be sent Envoy would not be given the key.
      endpoint: { hostname: 'models.invalid', port: 1, tls: { mode: 'None' } },
      models: [{ name: 'gpt-4o' }],
      auth: { secretRef: { name: 'provider' } },
    }),
    routeObject('ai', 'planted.test', [
      { backendRefs: [{ group: 'gatewright.dev', kind: 'AIService', name: 'openai' }] },
    ]),
  ];
  writeFileSync(join(directory, 'all.yaml'), objects.map((object) => stringify(object)).join('---\n'));
  const program = startProgram(['run', '-f', directory, '--config', config], { TMPDIR: temporary });
  t.teardown(async () => {
    program.kill('SIGTERM');
    await program.ended;
  });
  const keyLines = key.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));
  const encoded = Object.values(secrets).flatMap((secret) => [
    secret,
    Buffer.from(secret).toString('base64').slice(0, 40),
    Buffer.from(secret).toString('hex'),
  ]);
  return {
    program,
    pid: program.pid,
    folders: [state, temporary],
    env: { GATEWRIGHT_SERVER: `http://${at(ports.layout1)}`, GATEWRIGHT_TOKEN: secrets.token },
    metrics: `http://${at(ports.metrics)}`,
    planted: [...keyLines, ...encoded],
    httpsPort: ports.https,
  };
}

/** Whether the listener has its key. */
const handshake = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const asked = { port, host: '127.0.0.1', servername: 'planted.test', rejectUnauthorized: false };
    const socket = connect(asked, () => {
      resolve(true);
      socket.destroy();
    }).once('error', reject);
  });

/** The process and all that it has started. */
function processesOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...(children === '' ? [] : children.split(' ').flatMap((child) => processesOf(Number(child))))];
}

interface Kept {
  readonly whole: string;
  readonly isFile: boolean;
  readonly mode: number;
  /** No folder on the way to it keeps others out. */
  readonly isInReach: boolean;
}

const forOthers = 0o077;

/** All in a folder that every account may enter, with what others may do with it. */
function filesIn(path: string, isInReach = true): Kept[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const whole = join(path, entry.name);
    // Drafts of files, and what databases write beside theirs, may be gone by now.
    const mode = statSync(whole, { throwIfNoEntry: false })?.mode;
    if (mode === undefined) return [];
    const own: Kept = { whole, isFile: entry.isFile(), mode, isInReach };
    return entry.isDirectory() ? [own, ...filesIn(whole, isInReach && (mode & forOthers) !== 0)] : [own];
  });
}

/** Empty for a file that is gone by now. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

test('keys are in no argument, environment, log, dump, archive or file that others may read', async (t) => {
  const world = await start(t);
  const { env, planted, program } = world;
  await until('the key to be served with', () => handshake(world.httpsPort));
  const surfaces = new Map<string, string>();
  const asked = async (...args: string[]) => {
    const { code, stdout, stderr } = await runProgram(args, env);
    t.is(code, 0, `${args}: ${stderr}`);
    surfaces.set(args.join(' '), stdout + stderr);
    return stdout;
  };
  const listed = await asked('nodes', '-o', 'json');
  await asked('dump', /"nodeId": ?"([^"]+)"/.exec(listed)?.[1] ?? '');
  await asked('snapshot');
  const archive = join(folder(t, 'archive'), 'all.tar.gz');
  const collected = folder(t, 'collected');
  await asked('collect', '-f', archive, '--metrics', world.metrics);
  t.is(statSync(archive).mode & forOthers, 0, 'the archive is for its owner');
  await extract({ file: archive, cwd: collected });
  for (const { whole, isFile } of filesIn(collected)) if (isFile) surfaces.set(whole, readFileSync(whole, 'latin1'));
  for (const path of ['/v1/summary', '/v1/ai/services', '/v1/resources/Secret']) {
    const answer = await request(`${env.GATEWRIGHT_SERVER}${path}`, {
      headers: { authorization: `Bearer ${env.GATEWRIGHT_TOKEN}` },
    });
    surfaces.set(path, await answer.text());
  }
  const processes = processesOf(world.pid);
  t.true(processes.length >= 2, 'Envoy is one of them');
  for (const each of processes)
    for (const what of ['cmdline', 'environ'])
      surfaces.set(`${what} of ${each}`, readFileSync(`/proc/${each}/${what}`, 'utf8'));
  surfaces.set('the log', program.output.stdout + program.output.stderr);
  t.true(surfaces.size > 20 && [...surfaces.values()].some((text) => text.includes('planted.test')));
  for (const [surface, text] of surfaces)
    t.deepEqual(
      planted.filter((secret) => text.includes(secret)),
      [],
      surface,
    );
});

test('whatever is kept on disk is for its owner alone', async (t) => {
  const { folders, planted, httpsPort } = await start(t);
  await until('the key to be served with', () => handshake(httpsPort));
  const kept = folders.flatMap((path) => filesIn(path));
  t.true(kept.some(({ isFile }) => isFile));
  for (const { whole, mode, isFile, isInReach } of kept) {
    if (isInReach) t.is(mode & forOthers, 0, `${whole} has mode ${(mode & 0o777).toString(8)}`);
    if (!isFile) continue;
    const text = textOf(whole);
    t.deepEqual(
      planted.filter((secret) => text.includes(secret)),
      [],
      whole,
    );
  }
});
