import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../scripts/free-port.ts';
import { cacheDir } from '../../scripts/paths.mjs';
import { ensurePostgres } from '../../scripts/setup/postgres.mjs';
import { locked, publish } from '../../scripts/setup/publish.mjs';
import type { Endings } from './endings.ts';
import { until } from './until.ts';

const password = 'a password of tests';

/** A real PostgreSQL on 127.0.0.1 with the user `gatewright`. Ends with the test. */
export class Postgres {
  readonly port: number;
  readonly directory: string;
  /** Of the user `gatewright`, in a file. */
  readonly passwordFile: string;
  readonly #program: string;
  readonly #parameters: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(program: string, port: number, directory: string, parameters: readonly string[]) {
    this.#program = program;
    this.port = port;
    this.directory = directory;
    this.#parameters = parameters;
    this.passwordFile = join(directory, 'password');
  }

  /** `parameters`: settings such as `ssl=on`. */
  static async start(t: Endings, ...parameters: readonly string[]): Promise<Postgres> {
    const directory = mkdtempSync(join(tmpdir(), 'gatewright-postgres-'));
    const postgres = new Postgres(await ensurePostgres(), await freePort(), directory, parameters);
    t.teardown(async () => {
      await postgres.kill();
      rmSync(directory, { recursive: true });
    });
    writeFileSync(postgres.passwordFile, password, { mode: 0o600 });
    await cp(await ensureTemplate(postgres.#program), join(directory, 'data'), { recursive: true });
    // It insists on that.
    chmodSync(join(directory, 'data'), 0o700);
    await postgres.run();
    return postgres;
  }

  get url(): string {
    return `postgres://127.0.0.1:${this.port}/postgres`;
  }

  get password(): string {
    return password;
  }

  /** Starts it with what it kept. */
  async run(): Promise<void> {
    const settings = [
      ...['listen_addresses=127.0.0.1', `port=${this.port}`, 'unix_socket_directories=', 'fsync=off'],
      ...['shared_buffers=16MB', 'max_connections=100', ...this.#parameters],
    ];
    const [command, ...args] = asUser(this.#program);
    const all = [...args, '-D', join(this.directory, 'data'), ...settings.flatMap((setting) => ['-c', setting])];
    const child = spawn(command, all, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await until('PostgreSQL to be ready', () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended: ${said}`);
      return said.includes('ready to accept connections');
    });
  }

  /** As a machine that fails: without an end for its connections. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGQUIT');
    await ended;
  }

  /** It keeps its connections, and answers nothing. */
  hang(): void {
    this.#signal('SIGSTOP');
  }

  goOn(): void {
    this.#signal('SIGCONT');
  }

  /** Each connection has a process of its own. */
  #signal(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('it does not run');
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    for (const each of [String(pid), ...children]) process.kill(Number(each), signal);
  }

  /** What it answers. */
  async ask(sql: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: this.port,
      user: 'gatewright',
      password,
      database: 'postgres',
    });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }
}

/** A data directory to copy, made once for each release: that takes a second of CPU. */
async function ensureTemplate(program: string): Promise<string> {
  const { stdout: version } = await run(program, ['--version']);
  const folder = join(cacheDir(), 'postgres-data', createHash('sha256').update(version).digest('hex').slice(0, 12));
  await locked(`${folder}.lock`, async () => {
    if (!existsSync(folder)) await publish(folder, (made) => makeData(program, made));
  });
  return folder;
}

async function makeData(program: string, folder: string): Promise<void> {
  const passwordFile = `${folder}.password`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const login = ['--username', 'gatewright', '--auth', 'scram-sha-256', '--pwfile', passwordFile];
  await run(join(dirname(program), 'initdb'), [
    '-D',
    folder,
    ...login,
    '--no-locale',
    '--encoding',
    'UTF8',
    '--no-sync',
  ]);
  rmSync(passwordFile);
}

function run(program: string, more: readonly string[]) {
  const [command, ...args] = asUser(program);
  return promisify(execFile)(command, [...args, ...more]);
}

/** PostgreSQL does not run as root, so it gets a namespace in which it is another user. */
const asUser = (program: string): [string, ...string[]] =>
  process.geteuid?.() === 0 ? ['unshare', '--user', '--map-user=1000', '--map-group=1000', program] : [program];
