import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';

const run = promisify(execFile);

/** A file system of its own. */
export interface SmallDisk {
  readonly path: string;
  /** Takes all the room there is. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Puts an empty one over it that no user can write to, not even root. */
  cover(): Promise<void>;
  uncover(): Promise<void>;
}

/** A file system of a few kilobytes in memory, which goes with the test; a text that says why there can be none. */
export async function smallDisk(t: ExecutionContext, kilobytes: number): Promise<SmallDisk | string> {
  if (process.getuid?.() !== 0) return 'only root may mount a file system';
  const path = await mkdtemp(join(tmpdir(), 'gatewright-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=0700`, 'gatewright-test', path]);
  } catch (error) {
    await rm(path, { recursive: true });
    return `no file system can be mounted here: ${(error as Error).message}`;
  }
  let covered = false;
  t.teardown(async () => {
    if (covered) await run('umount', ['--lazy', path]);
    await run('umount', ['--lazy', path]);
    await rm(path, { recursive: true, force: true });
  });
  const ballast = join(path, 'ballast');
  return {
    path,
    fill: async () => {
      const failed = await writeFile(ballast, Buffer.alloc(2 * kilobytes * 1024)).catch((error: unknown) => error);
      if ((failed as NodeJS.ErrnoException | undefined)?.code !== 'ENOSPC') throw new Error('the disk is not full');
    },
    free: () => rm(ballast),
    cover: async () => {
      await run('mount', ['-t', 'tmpfs', '-o', 'ro,size=4k', 'gatewright-test', path]);
      covered = true;
    },
    uncover: async () => {
      await run('umount', ['--lazy', path]);
      covered = false;
    },
  };
}
