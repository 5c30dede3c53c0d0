import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheDir } from '../../scripts/paths.mjs';
import { unpackWithLibraries } from '../../scripts/setup/debian.mjs';
import { locked, publish } from '../../scripts/setup/publish.mjs';

const library = () =>
  join(cacheDir(), 'libfaketime/root/usr/lib', `${architecture()}-linux-gnu/faketime/libfaketime.so.1`);
const architecture = () => (process.arch === 'arm64' ? 'aarch64' : 'x86_64');

/** The clock of a process by which people know the time, set to another time while the process runs. Its monotonic clock goes on (libfaketime). */
export class OwnClock {
  /** What the process has to be started with. */
  readonly env: NodeJS.ProcessEnv;
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
    this.env = {
      LD_PRELOAD: library(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  static async prepare(folder: string, name: string): Promise<OwnClock> {
    const clock = new OwnClock(join(folder, `${name}.clock`));
    await clock.set(0);
    return clock;
  }

  /** So many seconds before or after the right time, within a second. */
  async set(seconds: number): Promise<void> {
    // Whole at any time: it is read many times a second.
    await writeFile(`${this.#file}.next`, `${seconds < 0 ? '' : '+'}${seconds}`);
    await rename(`${this.#file}.next`, this.#file);
  }
}

/** From Debian's package, which is unpacked and not installed. It needs the network. */
export async function ensureClocks(): Promise<void> {
  if (existsSync(library())) return;
  const folder = join(cacheDir(), 'libfaketime');
  await locked(join(dirname(folder), '.libfaketime.lock'), async () => {
    if (existsSync(library())) return;
    const without = 'the bench needs it';
    await publish(folder, (made) => unpackWithLibraries(made, 'libfaketime', { without }));
  });
}
