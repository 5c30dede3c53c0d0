import type { Dirent } from 'node:fs';
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, parse, resolve, sep } from 'node:path';

/** A directory to be watched: `all` of its entries, or only some names. */
export interface Watched {
  readonly ino: bigint;
  readonly names: Set<string> | 'all';
}

/** What there is below a root at one moment. */
export interface Tree {
  /** Paths of manifest files, sorted. */
  readonly files: readonly string[];
  /** Every directory in which a change could change the files, by path. */
  readonly watched: ReadonlyMap<string, Watched>;
}

const extensions: readonly string[] = ['.yaml', '.yml', '.json'];

/** Names with a dot in front are editors' swap files, `.git`, and the moving parts of a mounted ConfigMap. */
export const isManifestName = (name: string): boolean => !name.startsWith('.') && extensions.includes(extname(name));

/**
 * Finds the manifest files of a directory and of all directories below it, links followed, or the one file that the root is. Throws the
 * file system's error when the root cannot be read; anything below that vanishes meanwhile is left out.
 */
export async function scanTree(root: string): Promise<Tree> {
  const scan = new Scan();
  const facts = await stat(root);
  await scan.links(root);
  await scan.name(dirname(await realpath(root)), basename(await realpath(root)));
  if (facts.isDirectory()) await scan.directory(root);
  else {
    await scan.name(dirname(root), basename(root));
    scan.files.push(root);
  }
  return { files: scan.files.sort(), watched: scan.watched };
}

/** Paths of the manifest files of a directory and all below it, or of the one file. Rejects as `scanTree` does. */
export const findManifestFiles = async (path: string): Promise<readonly string[]> => (await scanTree(path)).files;

class Scan {
  readonly files: string[] = [];
  readonly watched = new Map<string, Watched>();
  /** Real paths of the directories that were entered, against links in circles. */
  readonly #entered = new Set<string>();

  async directory(path: string): Promise<void> {
    const real = await realpath(path);
    if (this.#entered.has(real)) return;
    this.#entered.add(real);
    this.watched.set(path, { ino: (await stat(path, { bigint: true })).ino, names: 'all' });
    const entries = await readdir(path, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (!entry.name.startsWith('.')) await ifPresent(() => this.#entry(join(path, entry.name), entry));
    }
  }

  async #entry(path: string, entry: Dirent): Promise<void> {
    if (entry.isSymbolicLink()) await this.links(path);
    const facts = entry.isSymbolicLink() ? await stat(path) : entry;
    if (facts.isDirectory()) return await this.directory(path);
    if (!facts.isFile() || !isManifestName(entry.name)) return;
    this.files.push(path);
    if (!entry.isSymbolicLink()) return;
    const real = await realpath(path);
    await this.name(dirname(real), basename(real));
  }

  /** Watches the name of every link on the way, for a link can be pointed elsewhere in one step. */
  async links(path: string): Promise<void> {
    const { root } = parse(resolve(path));
    let todo = resolve(path).slice(root.length).split(sep);
    let current = root;
    for (let hops = 0; todo.length > 0 && hops < 400; hops += 1) {
      const [part = '', ...rest] = todo;
      const next = join(current, part);
      if (!(await lstat(next)).isSymbolicLink()) {
        current = next;
        todo = rest;
        continue;
      }
      await this.name(current, part);
      const target = resolve(current, await readlink(next));
      current = parse(target).root;
      todo = [
        ...target
          .slice(current.length)
          .split(sep)
          .filter((piece) => piece !== ''),
        ...rest,
      ];
    }
  }

  async name(directory: string, name: string): Promise<void> {
    const known = this.watched.get(directory);
    if (known?.names === 'all') return;
    if (known) known.names.add(name);
    else this.watched.set(directory, { ino: (await stat(directory, { bigint: true })).ino, names: new Set([name]) });
  }
}

async function ifPresent(look: () => Promise<void>): Promise<void> {
  try {
    await look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ELOOP: a link to itself. EACCES: not for us; the other files still count.
    if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(code ?? '')) throw error;
  }
}
