import { accessSync, constants } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';

/**
 * What Envoy processes that follow one another have in common: a number that names their shared memory and the sockets by which
 * one hands its listening sockets to the next. The first of them chooses it.
 */
export class HotRestart {
  readonly #baseIdFile: string;
  /** In a folder that is closed to other users: a process that connects is given Envoy's listening sockets. */
  readonly #sockets: readonly string[];
  /** How many have followed the first one. */
  #epoch = 0;

  /** `socketPath`: where Envoy's names for its sockets begin. */
  constructor(baseIdFile: string, socketPath: string) {
    this.#baseIdFile = baseIdFile;
    this.#sockets = ['--socket-path', socketPath];
  }

  /** Shared memory is available; without it an Envoy can only be ended and started again. */
  static possible(): boolean {
    try {
      accessSync(sharedMemory, constants.W_OK | constants.X_OK);
      return true;
    } catch {
      return false;
    }
  }

  /** The next Envoy takes over from the one that runs, for at most this time. Rejects where that one cannot be found. */
  async argumentsToFollow(handoverSeconds: number): Promise<readonly string[]> {
    const baseId = await this.#baseId();
    if (baseId === undefined) throw new Error('the running Envoy has not reported its base id');
    this.#epoch += 1;
    const epoch = String(this.#epoch);
    const parent = ['--base-id', baseId, '--restart-epoch', epoch, '--parent-shutdown-time-s', String(handoverSeconds)];
    return [...parent, ...this.#sockets];
  }

  /** An Envoy that has none before it. What a former one left behind is removed: a killed one leaves its shared memory. */
  async argumentsAlone(): Promise<readonly string[]> {
    if (!HotRestart.possible()) return ['--disable-hot-restart'];
    await this.clear();
    return ['--use-dynamic-base-id', '--base-id-path', this.#baseIdFile, ...this.#sockets];
  }

  /** Removes what Envoy left behind. To be called when none runs. */
  async clear(): Promise<void> {
    const baseId = await this.#baseId();
    this.#epoch = 0;
    if (baseId === undefined) return;
    // Envoy leaves room for the numbers of other things between two base ids.
    const path = `${sharedMemory}/envoy_shared_memory_${Number(baseId) * 10}`;
    await Promise.all([rm(path, { force: true }), rm(this.#baseIdFile, { force: true })]);
  }

  async #baseId(): Promise<string | undefined> {
    const text = await readFile(this.#baseIdFile, 'utf8').catch(() => '');
    return /^\d+$/.test(text.trim()) ? text.trim() : undefined;
  }
}

const sharedMemory = '/dev/shm';
