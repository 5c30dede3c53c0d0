import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from '@redis/client';
import { freePort } from '../../scripts/free-port.ts';
import { ensureValkey } from '../../scripts/setup/valkey.mjs';
import type { Endings } from './endings.ts';
import { until } from './until.ts';

/** A real Valkey on 127.0.0.1 that keeps nothing on disk. Ends with the test. */
export class Valkey {
  readonly port: number;
  readonly #program: string;
  readonly #parameters: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(program: string, port: number, parameters: readonly string[]) {
    this.#program = program;
    this.port = port;
    this.#parameters = parameters;
  }

  /** `parameters`: of its command line, such as `--requirepass`. */
  static async start(t: Endings, ...parameters: readonly string[]): Promise<Valkey> {
    const valkey = new Valkey(await ensureValkey(), await freePort(), parameters);
    t.teardown(() => valkey.kill());
    await valkey.run();
    return valkey;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it, empty. */
  async run(): Promise<void> {
    const own = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const child = spawn(this.#program, [...own, ...this.#parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await until('Valkey to be ready', () => {
      if (child.exitCode !== null) throw new Error(`Valkey ended: ${said}`);
      return said.includes('Ready to accept connections');
    });
  }

  /** With all that it keeps. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** It keeps its connections, and answers nothing. */
  hang(): void {
    this.#child?.kill('SIGSTOP');
  }

  goOn(): void {
    this.#child?.kill('SIGCONT');
  }

  /** What it answers to one command. */
  async ask(...command: readonly string[]): Promise<unknown> {
    const client = await createClient({ url: this.url }).connect();
    try {
      return await client.sendCommand([...command]);
    } finally {
      client.destroy();
    }
  }
}
