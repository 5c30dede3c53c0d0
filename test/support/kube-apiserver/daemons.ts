import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../scripts/free-port.ts';

/** What a start may take where tests share few cores. */
const readyMs = 400_000;

export interface EtcdProcess {
  readonly process: ChildProcess;
  readonly port: number;
}

export async function startEtcd(directory: string, programs: string): Promise<EtcdProcess> {
  const [port, peerPort] = [await freePort(), await freePort()];
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const etcd = await startDaemon(
    join(programs, 'etcd'),
    [
      '--name=test',
      `--data-dir=${join(directory, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=test=${peer}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
    directory,
  );
  return { process: etcd, port };
}

export async function apiserverArgs(
  directory: string,
  port: number,
  etcdPort: number,
  tokens: ReadonlyMap<string, string>,
): Promise<string[]> {
  const key = join(directory, 'service-account.pem');
  const tokenFile = join(directory, 'tokens.csv');
  await mkdir(join(directory, 'certs'));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeFile(key, privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  const rows = [...tokens].map(([user, token]) =>
    user === 'admin' ? `${token},admin,admin,system:masters` : `${token},${user},${user}`,
  );
  await writeFile(tokenFile, `${rows.join('\n')}\n`, { mode: 0o600 });
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(directory, 'certs')}`,
    `--token-auth-file=${tokenFile}`,
    '--authorization-mode=RBAC',
    // Both families; a Service has one of IPv4 unless it asks for more.
    '--service-cluster-ip-range=10.0.0.0/16,fd00:10:96::/112',
    '--service-account-issuer=https://127.0.0.1',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--endpoint-reconciler-type=none',
    '--profiling=false',
  ];
}

/** Starts the program at `path`; its output goes to a log of its name in `directory`. */
export async function startDaemon(path: string, args: readonly string[], directory: string): Promise<ChildProcess> {
  await access(path).catch((cause: unknown) => {
    throw new Error(
      `${path} is missing: run "npm test" once, which builds it, or set KUBEBUILDER_ASSETS to a folder that has it`,
      {
        cause,
      },
    );
  });
  // A test's server is small and ends soon: collecting its garbage was a quarter of its CPU time. Now it collects at the limit only.
  const env = { ...process.env, GOGC: 'off', GOMEMLIMIT: '1200MiB' };
  const child = spawn(path, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(join(directory, `${basename(path)}.log`), { flags: 'a' });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  child.once('close', () => log.end());
  await once(child, 'spawn');
  return child;
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  // Nothing of theirs is kept, so there is nothing to end in good order.
  child.kill('SIGKILL');
  await exited;
}

export async function poll(done: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + readyMs;
  while (!(await done())) {
    if (Date.now() > deadline) throw new Error(`${what} was not ready in ${readyMs / 1000} s`);
    await delay(50);
  }
}

export const tail = async (path: string): Promise<string> =>
  (await readFile(path, 'utf8')).split('\n').slice(-15).join('\n');
