import { open, stat } from 'node:fs/promises';

/** What distinguishes one content of a path from the next, without reading it. */
export type Stamp = string;

export type ReadResult =
  | { readonly kind: 'content'; readonly stamp: Stamp; readonly text: string; readonly modifiedMs: number }
  | { readonly kind: 'missing'; readonly stamp: 'missing' }
  /** The file was written while we read. */
  | { readonly kind: 'unstable' }
  | { readonly kind: 'error'; readonly stamp: Stamp; readonly message: string };

// More than this in one file is a mistake, and would be read again and again.
export const largestFile = 64 * 1024 * 1024;

interface FileFacts {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

const stampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: FileFacts): Stamp =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;

/** The stamp of a path now, links followed; `missing` when there is nothing. */
export async function stampAt(path: string): Promise<Stamp> {
  try {
    return stampOf(await stat(path, { bigint: true }));
  } catch (error) {
    if (isMissing(error)) return 'missing';
    return `error:${(error as NodeJS.ErrnoException).code}`;
  }
}

/** Reads a file such that the text is what the path held at one moment: it looks the same, and is the same file, before and after. */
export async function readStable(path: string): Promise<ReadResult> {
  try {
    await using handle = await open(path, 'r');
    const before = await handle.stat({ bigint: true });
    const stamp = stampOf(before);
    if (!before.isFile()) return { kind: 'error', stamp, message: 'is not a regular file' };
    if (before.size > largestFile)
      return { kind: 'error', stamp, message: `is larger than ${largestFile / 1024 / 1024} MiB` };
    const text = await handle.readFile('utf8');
    if ((await stampAt(path)) !== stamp) return { kind: 'unstable' };
    return { kind: 'content', stamp, text, modifiedMs: Number(before.mtimeNs / 1_000_000n) };
  } catch (error) {
    if (isMissing(error)) return { kind: 'missing', stamp: 'missing' };
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: 'error', stamp: `error:${code}`, message: `cannot be read: ${message}` };
  }
}

/** A dangling link counts as missing. */
const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
