import { randomBytes } from 'node:crypto';
import { type FileHandle, open, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Gives a path another content, in one step: who reads it, or finds it after a crash, has the old text or the new one. Resolves when the new
 * one is on the disk. A link stays; what it points to is replaced. Permissions stay.
 */
export async function writeDurably(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const mode = await stat(target).then(
    (facts) => facts.mode & 0o777,
    () => 0o644,
  );
  // With a dot in front, no source takes it for a manifest.
  const draft = join(dirname(target), `.${basename(target).slice(0, 200)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeDraft(draft, text, mode);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncDirectory(dirname(target));
}

/** Removes a file. Resolves when that is on the disk. Of a link, the link goes. */
export async function removeDurably(path: string): Promise<void> {
  await unlink(path);
  await syncDirectory(dirname(path));
}

async function writeDraft(path: string, text: string, mode: number): Promise<void> {
  await using file = await open(path, 'wx', mode);
  await file.writeFile(text);
  // The mode of a new file passes through the umask.
  await file.chmod(mode);
  await file.sync();
}

async function syncDirectory(path: string): Promise<void> {
  await using directory: FileHandle = await open(path, 'r');
  await directory.sync();
}
