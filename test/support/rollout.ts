import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Endings } from './endings.ts';

export type ServerProtocol = 'http1' | 'h2c' | 'grpc';

const script = join(import.meta.dirname, 'exiting-server.ts');

/** A backend that is a process of its own, so that it can end as one. */
export class ServerProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
  }

  /** `finish`: it answers what it has begun before it ends. */
  static async start(t: Endings, protocol: ServerProtocol, ending?: 'finish'): Promise<ServerProcess> {
    const child = spawn(process.execPath, [script, protocol, ...(ending ? [ending] : [])], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    const [line] = await once(createInterface({ input: child.stdout! }), 'line');
    return new ServerProcess(Number(line), child);
  }

  /** SIGTERM; resolves when the process is gone. */
  async exit(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await gone;
  }
}

/** So many requests at a time, without a pause, until stopped; counts outcomes. */
export class Pressure {
  readonly #outcomes = new Map<string, number>();
  readonly #workers: readonly Promise<void>[];
  /** How often each worker has had an answer. */
  readonly #turns: number[];
  readonly #watchers = new Set<() => void>();
  #isStopped = false;

  constructor(width: number, ask: () => Promise<string>) {
    this.#turns = Array.from({ length: width }, () => 0);
    this.#workers = this.#turns.map((_, worker) => this.#work(worker, ask));
  }

  /** Resolves when each worker has had so many answers more, so when the proxy's threads go by all that was there before. */
  turns(count: number): Promise<void> {
    const wanted = this.#turns.map((had) => had + count);
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (this.#turns.some((had, worker) => had < (wanted[worker] ?? 0))) return;
      this.#watchers.delete(look);
      resolve();
    };
    this.#watchers.add(look);
    return promise;
  }

  async stop(): Promise<Readonly<Record<string, number>>> {
    this.#isStopped = true;
    await Promise.all(this.#workers);
    return Object.fromEntries(this.#outcomes);
  }

  async #work(worker: number, ask: () => Promise<string>): Promise<void> {
    while (!this.#isStopped) {
      const outcome = await ask().catch((error: NodeJS.ErrnoException) => error.code ?? error.message);
      this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
      this.#turns[worker] = (this.#turns[worker] ?? 0) + 1;
      for (const look of this.#watchers) look();
    }
  }
}
