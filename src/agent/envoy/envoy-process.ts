import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Backoff } from '../../std/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { Clock } from '../clock.ts';
import { dieWithParent } from './die-with-parent.ts';
import { LogForwarder } from './log-forwarder.ts';

export interface EnvoyProcessOptions {
  readonly path: string;
  /** Where Envoy runs: paths in its configuration may begin there. */
  readonly folder: string;
  /** Called before each start. */
  readonly args: () => readonly string[] | Promise<readonly string[]>;
  readonly logger: Logger;
  readonly clock: Clock;
  /** How long to wait before a restart. */
  readonly backoff: Backoff;
  /** Called before each start, to make what Envoy needs and to remove what the run before left. Without it there is no start. */
  readonly prepare: () => Promise<void>;
}

/** An Envoy that lived this long was a good one: waits start over from the shortest. */
const steadyMs = 30_000;

/** How long to wait after Envoy's end for the rest of its output. A process that it left behind may keep the output open for ever. */
const lastWordsMs = 1000;

/** Envoy as a child process, started again each time it ends until it is stopped. */
export class EnvoyProcess {
  readonly #options: EnvoyProcessOptions;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #log: LogForwarder | undefined;
  #starts = 0;
  #lastEnd: string | undefined;
  #killed: string | undefined;
  #quickEnds = 0;
  #startedAt = 0;
  #prepareFault: string | undefined;

  constructor(options: EnvoyProcessOptions) {
    this.#options = options;
  }

  /** Envoy's own process id; undefined while it is not running. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** How many times it was started after the first. */
  get restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  /** How the last run ended, with Envoy's last complaint; undefined while none has. */
  get lastEnd(): string | undefined {
    return this.#lastEnd;
  }

  /** How often in a row it ended soon after its start, or did not start; 0 when the present one has lived for a while. */
  get quickEnds(): number {
    const steady = this.#child !== undefined && this.#aliveMs() >= steadyMs;
    return steady ? 0 : this.#quickEnds;
  }

  /** Why what Envoy needs could not be made the last time; undefined when it could. */
  get prepareFault(): string | undefined {
    return this.#prepareFault;
  }

  /** Starts Envoy again and again until `stop`; resolves when it is gone for good. Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#startedAt = this.#options.clock.now().getTime();
      await this.#runOnce().catch((error: unknown) => this.#failedToStart(error));
      if (signal.aborted) return;
      const steady = this.#aliveMs() >= steadyMs;
      this.#quickEnds = steady ? 1 : this.#quickEnds + 1;
      if (steady) this.#options.backoff.reset();
      const waitMs = Math.round(this.#options.backoff.next());
      this.#options.logger.error({ reason: this.#lastEnd, retry_in_ms: waitMs }, 'Envoy ended; restarting it');
      await this.#options.clock.delay(waitMs, signal).catch(() => undefined);
    }
  }

  /** Ends the Envoy that runs at once; `run` starts another. `why` is reported as its end. */
  kill(why: string): void {
    if (this.#child) this.#killed = why;
    this.#child?.kill('SIGKILL');
  }

  /** Starts no further one: the Envoy that runs will end by itself. Resolves when it has; never rejects. */
  async retire(): Promise<void> {
    this.#stopping.abort();
    if (this.#child) await once(this.#child, 'exit');
  }

  /** Ends Envoy for good: SIGTERM, and SIGKILL when it is still there after `graceMs`. `run` resolves when it is gone. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    const child = this.#child;
    if (!child) return;
    const ended = once(child, 'exit');
    this.#log?.expectEnd();
    child.kill('SIGTERM');
    const grace = new AbortController();
    const late = this.#options.clock.delay(graceMs, grace.signal).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
    await ended;
    grace.abort();
    await late;
  }

  async #runOnce(): Promise<void> {
    await this.#prepare();
    if (this.#stopping.signal.aborted) return;
    const { path, args, watched } = dieWithParent(pathFrom(this.#options.path), await this.#options.args());
    if (this.#stopping.signal.aborted) return;
    this.#starts += 1;
    // A process group of its own: Ctrl-C in a terminal is for the agent, which drains Envoy before it ends it. Standard
    // output carries access logs only, and goes where ours goes without a detour.
    const child = spawn(path, args, {
      cwd: this.#options.folder,
      detached: true,
      stdio: [watched ? 'pipe' : 'ignore', 'inherit', 'pipe'],
    });
    child.stdin?.on('error', () => undefined);
    const log = new LogForwarder(this.#options.logger);
    this.#log = log;
    const forwarded = log.forward(child.stderr as Readable);
    await once(child, 'spawn');
    this.#child = child;
    this.#options.logger.info({ pid: child.pid }, 'Envoy started');
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    this.#child = undefined;
    child.stdin?.end('\n');
    await this.#atMost(lastWordsMs, forwarded);
    this.#lastEnd = this.#killed ?? describeEnd(code, signal, log.lastComplaint);
    this.#killed = undefined;
  }

  async #atMost(ms: number, work: Promise<void>): Promise<void> {
    const over = new AbortController();
    const late = this.#options.clock.delay(ms, over.signal).catch(() => undefined);
    await Promise.race([work, late]);
    over.abort();
  }

  async #prepare(): Promise<void> {
    try {
      await this.#options.prepare();
      this.#prepareFault = undefined;
    } catch (error) {
      this.#prepareFault = (error as Error).message;
      throw error;
    }
  }

  #aliveMs(): number {
    return this.#options.clock.now().getTime() - this.#startedAt;
  }

  #failedToStart(error: unknown): void {
    this.#child = undefined;
    this.#lastEnd = `could not be started: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A path is the agent's own; a name is looked up among the system's programs. */
const pathFrom = (path: string): string => (path.includes('/') ? resolve(path) : path);

function describeEnd(code: number | null, signal: NodeJS.Signals | null, complaint: string | undefined): string {
  const end = signal ? `ended by ${signal}` : `ended with exit code ${code}`;
  return complaint ? `${end}: ${complaint}` : end;
}
