import { basename, resolve } from 'node:path';
import type { Source, SourceListener } from '../source.ts';
import { DelayQueue } from './delay-queue.ts';
import { FileIntake } from './file-intake.ts';
import { LiveDirectory } from './live-directory.ts';
import { type Duplicate, idOf, ObjectStore } from './object-store.ts';
import { type FileProblem, type Problem, ProblemBook } from './problem.ts';
import { ManifestReader } from './reading/index.ts';
import { isManifestName, scanTree } from './tree.ts';
import type { ObjectValidator } from './validate/index.ts';
import { DirectoryWatcher } from './watcher.ts';

export interface DirectorySourceOptions {
  /** A directory that is read with all below it, or one file. */
  readonly path: string;
  /** From `ObjectValidator.load`; may be shared, for what it compiles is most of the cost of a start. */
  readonly validator: ObjectValidator;
  /** Called for each problem when it comes up: once for each content of its file. */
  readonly onProblem?: (problem: Problem) => void;
  /** A file counts as written when it was left alone for this many milliseconds; 10 unless given. */
  readonly stableMs?: number;
  /** An object counts as removed when it was gone for this many milliseconds, for writers empty a file before they fill it; 100. */
  readonly graceMs?: number;
}

/** The path cannot be read at the start. */
export class DirectoryStartError extends Error {
  override readonly name = 'DirectoryStartError';
  readonly code = 'directory';
}

// Items of the delay queue that are not paths of files: look which files there are; and look into every one of them.
const scan = 'scan';
const scanAll = 'scan and look into all';

// Where directories cannot be watched, and while the root is away.
const pollMs = 1_000;
// At the start a file that is written all the time is taken as it is in the end.
const firstScanMs = 2_000;
const filesAtOnce = 16;

/**
 * The objects in a directory of YAML and JSON files, validated and given defaults as the API server does it, and reported again as files
 * change. What is wrong is reported by file, line and column, and keeps its last good version until it is right or removed.
 *
 * Creation times order routes that want the same requests: what is there at the start shares one time (that of the youngest file, so that
 * a restart changes nothing), and what comes later is younger.
 */
export class DirectorySource implements Source {
  readonly #options: DirectorySourceOptions;
  readonly #root: string;
  readonly #book: ProblemBook;
  #listener: SourceListener | undefined;
  #live: LiveDirectory | undefined;

  constructor(options: DirectorySourceOptions) {
    this.#options = options;
    this.#root = resolve(options.path);
    this.#book = new ProblemBook((problem, state) => {
      if (state === 'raised') options.onProblem?.(problem);
      this.#listener?.problem?.(problem, state);
    });
  }

  /** What is wrong now, in the order of files and lines. */
  problems(): readonly FileProblem[] {
    return this.#book.list();
  }

  /** What was reported so far, for writers to the directory; undefined at the start and after the end. */
  get live(): LiveDirectory | undefined {
    return this.#live;
  }

  /** Rejects with DirectoryStartError when the path cannot be read at the start. */
  async run(listener: SourceListener, signal: AbortSignal): Promise<void> {
    const { validator, stableMs = 10, graceMs = 100 } = this.#options;
    this.#listener = listener;
    const store = new ObjectStore((event) => listener.event(event));
    // A file that takes long is waited for: the others of the directory are not worth less than it.
    const reader = new ManifestReader({ validator, isPatient: true });
    const intake = new FileIntake({ reader, store, book: this.#book, stableMs, graceMs });
    const session = new Session({ root: this.#root, store, intake, book: this.#book, stableMs });
    try {
      await session.start(signal);
      this.#live = new LiveDirectory(this.#root, store, (paths) => session.absorb(paths));
      for (const kind of validator.kinds) if (!signal.aborted) listener.synced(kind);
      while (!signal.aborted) await session.next(signal);
    } finally {
      this.#live = undefined;
      session.close();
      await reader.close();
    }
  }
}

interface SessionParts {
  readonly root: string;
  readonly store: ObjectStore;
  readonly intake: FileIntake;
  readonly book: ProblemBook;
  readonly stableMs: number;
}

/** One run: from what the system says about files to calls of intake and store. */
class Session {
  readonly #parts: SessionParts;
  readonly #delays = new DelayQueue();
  readonly #watcher: DirectoryWatcher;
  readonly #unwatched = new Set<string>();
  /** Callers that wait for a path to be reported. */
  readonly #awaited = new Map<string, PromiseWithResolvers<void>>();
  #closed = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#watcher = new DirectoryWatcher({
      changed: (path, structure) => this.#changed(path, structure),
      failed: (directory, error) => this.#cannotWatch(directory, error),
    });
  }

  close(): void {
    this.#closed = true;
    this.#watcher.close();
    for (const { resolve } of this.#takeWaiting([...this.#awaited.keys()]).values()) resolve();
  }

  /** Resolves when these files are taken and reported as they are now, or the run is over. They must be complete. */
  async absorb(paths: readonly string[]): Promise<void> {
    if (this.#closed) return;
    const waits = paths.map((path) => {
      const waiting = this.#awaited.get(path) ?? Promise.withResolvers<void>();
      this.#awaited.set(path, waiting);
      this.#delays.add(path, 0);
      return waiting.promise;
    });
    await Promise.all(waits);
  }

  /** Takes all files that there are and reports their objects together. */
  async start(signal: AbortSignal): Promise<void> {
    const { root, intake } = this.#parts;
    const files = await this.#scan().catch((cause: unknown) => {
      throw new DirectoryStartError(`cannot read ${root}: ${(cause as Error).message}`, { cause });
    });
    for (const file of files) this.#delays.add(file, 0);
    const deadline = performance.now() + firstScanMs;
    while (this.#filesPending() && !signal.aborted) {
      const due = await this.#delays.take(signal);
      await this.#look(due, () => performance.now() > deadline);
    }
    this.#commit(new Date(intake.youngestMs || Date.now()));
  }

  /** Waits for the next thing to look at, and reports what came of it. */
  async next(signal: AbortSignal): Promise<void> {
    const due = await this.#delays.take(signal);
    if (signal.aborted) return;
    // Taken out first: who asks from now on may have written since, and waits for another look.
    const waiting = this.#takeWaiting(due);
    try {
      await this.#look(due, (path) => waiting.has(path));
      this.#commit(new Date());
    } finally {
      for (const { resolve } of waiting.values()) resolve();
    }
  }

  #takeWaiting(paths: Iterable<string>): ReadonlyMap<string, PromiseWithResolvers<void>> {
    const taken = new Map<string, PromiseWithResolvers<void>>();
    for (const path of paths) {
      const waiting = this.#awaited.get(path);
      if (waiting) taken.set(path, waiting);
      this.#awaited.delete(path);
    }
    return taken;
  }

  /** A scan that is to come does not count: where directories cannot be watched there always is one. */
  #filesPending(): boolean {
    return this.#delays.items().some((item) => item !== scan && item !== scanAll);
  }

  async #look(due: readonly string[], force: (path: string) => boolean): Promise<void> {
    const { intake } = this.#parts;
    const paths = new Set(due.filter((item) => item !== scan && item !== scanAll));
    if (due.includes(scan) || due.includes(scanAll)) {
      const found = await this.#rescan();
      for (const path of found) if (due.includes(scanAll) || !intake.has(path)) paths.add(path);
      for (const path of intake.known()) if (!found.has(path)) paths.add(path);
    }
    const queue = [...paths];
    while (queue.length > 0) {
      await Promise.all(queue.splice(0, filesAtOnce).map((path) => this.#lookAt(path, force(path))));
    }
  }

  async #lookAt(path: string, force: boolean): Promise<void> {
    const again = await this.#parts.intake.look(path, force);
    if (again !== undefined) this.#delays.add(path, again);
  }

  /** As `scan`, but a root that is away for a while takes nothing with it. */
  async #rescan(): Promise<ReadonlySet<string>> {
    const { root, intake, book } = this.#parts;
    try {
      const files = await this.#scan();
      if (intake.keepAll) book.setFile(root, []);
      intake.keepAll = false;
      return files;
    } catch (error) {
      const message = `cannot be read, the last state is kept: ${(error as Error).message}`;
      if (!intake.keepAll) book.setFile(root, [{ severity: 'error', file: root, line: 1, column: 1, message }]);
      intake.keepAll = true;
      this.#delays.add(scanAll, pollMs);
      return new Set(intake.known());
    }
  }

  /** Which files there are, with a watch on everything that could change that; again, when a watch was too late to see all. */
  async #scan(): Promise<ReadonlySet<string>> {
    for (;;) {
      const tree = await scanTree(this.#parts.root);
      const late = this.#watcher.update(tree.watched);
      this.#forgetUnwatched(tree.watched);
      if (!late) return new Set(tree.files);
    }
  }

  #changed(path: string | undefined, structure: boolean): void {
    const { stableMs } = this.#parts;
    // A name that no file of ours can have may be a directory's, or the link that all paths go through.
    const elsewhere = path === undefined || (structure && !isManifestName(basename(path)));
    if (elsewhere) this.#delays.add(scanAll, stableMs);
    else if (structure) this.#delays.add(scan, stableMs);
    if (path !== undefined && this.#parts.intake.has(path)) this.#delays.add(path, stableMs);
  }

  #cannotWatch(directory: string, error: NodeJS.ErrnoException): void {
    this.#delays.add(scanAll, pollMs);
    if (this.#unwatched.has(directory)) return;
    this.#unwatched.add(directory);
    const limit =
      error.code === 'ENOSPC' || error.code === 'EMFILE'
        ? '; raise fs.inotify.max_user_watches or max_user_instances'
        : '';
    const message = `cannot be watched and is looked at once a second instead: ${error.message}${limit}`;
    this.#parts.book.setFile(directory, [{ severity: 'warning', file: directory, line: 1, column: 1, message }]);
  }

  #forgetUnwatched(wanted: ReadonlyMap<string, unknown>): void {
    for (const directory of this.#unwatched) {
      if (wanted.has(directory) && !this.#watcher.has(directory)) continue;
      this.#unwatched.delete(directory);
      this.#parts.book.setFile(directory, []);
    }
  }

  #commit(now: Date): void {
    const { store, book } = this.#parts;
    book.setBetweenFiles(store.commit(now).map(duplicateProblem));
  }
}

function duplicateProblem({ file, entry, winner, winnerPosition: { line, column } }: Duplicate): Problem {
  const message = `is also at ${winner}:${line}:${column}, which counts because its path comes first`;
  return { severity: 'error', file, ...entry.position, object: idOf(entry), message };
}
