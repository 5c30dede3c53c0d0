import { closerAnnotation, type KindName, kinds } from '../../gateway-api/index.ts';
import type { FileContent } from './file-content.ts';
import { type Entry, type ObjectStore, storeId } from './object-store.ts';
import type { Problem, ProblemBook } from './problem.ts';
import type { ManifestReader } from './reading/index.ts';
import { ReadingRejected } from './reading/index.ts';
import { type ReadResult, readStable, type Stamp, stampAt } from './stable-read.ts';

export interface FileIntakeOptions {
  readonly reader: ManifestReader;
  readonly store: ObjectStore;
  readonly book: ProblemBook;
  /** A file counts as written when it was left alone for this long. */
  readonly stableMs: number;
  /** An object counts as removed when it was gone for this long. */
  readonly graceMs: number;
}

/** What is known of a path: seen (there is something) → taken (it is in the store) → resolved (removals are, too). */
interface FileState {
  readonly stamp: Stamp;
  /** When this stamp was first seen, by performance.now. */
  readonly since: number;
  readonly taken: boolean;
  /** Objects that are no longer in the file and are removed when the grace time is over. */
  readonly leaving: ReadonlySet<string>;
  readonly graceMs: number;
}

type Resolved = Exclude<ReadResult, { readonly kind: 'unstable' }>;

/**
 * Many writers empty a file before they write it (`>` of a shell, most editors). One that has to wait for the processor in between must
 * not take a Gateway away, so what left an empty file stays this much longer. To delete the file, or its objects alone, is faster.
 */
const emptiedFactor = 10;

const none: ReadonlySet<string> = new Set();
const nothing: FileContent = { entries: new Map(), invalid: none, closers: [], unclear: false, problems: [] };

/** What a file says that cannot be read: nothing, and nothing of what it said before is taken back. */
const unread = (file: string, message: string): FileContent => ({
  ...nothing,
  unclear: true,
  problems: [{ severity: 'error', file, line: 1, column: 1, message }],
});

/** Says whether the store keeps what the problem keeps out: of an object that one, of a text that cannot be read all that it had. */
function withFormer(problem: Problem, kept: ReadonlyMap<string, unknown>): Problem {
  const isKept = problem.object === undefined ? kept.size > 0 : kept.has(problem.object);
  return problem.severity === 'error' && isKept ? { ...problem, isFormerServed: true } : problem;
}

const isCloser = ({ object }: Entry): boolean => object.metadata.annotations?.[closerAnnotation] !== undefined;

/** For objects that are wrong and have no former version. */
const closersOf = ({ closers, entries }: FileContent, former: ReadonlyMap<string, Entry>): [string, Entry][] =>
  closers.flatMap(({ id, object, position }): [string, Entry][] =>
    former.has(id) || entries.has(id) ? [] : [[id, { kind: kinds[object.kind as KindName], object, position }]],
  );

/** Takes files into the store, each when its writer has finished with it. */
export class FileIntake {
  readonly #options: FileIntakeOptions;
  readonly #files = new Map<string, FileState>();
  /** Paths that are being read. What changes meanwhile has to be looked at again, also of a file that was not known before. */
  readonly #reading = new Set<string>();
  /** While true, nothing is removed: the directory itself is away. */
  keepAll = false;
  /** When the youngest file that was taken was written; 0 before the first. */
  youngestMs = 0;

  constructor(options: FileIntakeOptions) {
    this.#options = options;
  }

  /** Paths that something is known of. */
  known(): IterableIterator<string> {
    return this.#files.keys();
  }

  /** Also while the path is read for the first time. */
  has(path: string): boolean {
    return this.#files.has(path) || this.#reading.has(path);
  }

  /**
   * Looks at a path and takes what is there. Returns after how many milliseconds to look again, if it has to be. With `force` it waits
   * for nothing: not for a writer who never stops, nor whether something removed comes back.
   */
  async look(path: string, force = false): Promise<number | undefined> {
    this.#reading.add(path);
    try {
      return await this.#look(path, force);
    } finally {
      this.#reading.delete(path);
    }
  }

  async #look(path: string, force: boolean): Promise<number | undefined> {
    const { stableMs } = this.#options;
    const known = this.#files.get(path);
    if (known?.taken && (await stampAt(path)) === known.stamp) return this.#release(path, known, force);
    const read = await readStable(path);
    if (read.kind === 'unstable') return force ? undefined : stableMs;
    const since = known?.stamp === read.stamp ? known.since : performance.now();
    const wait = force ? 0 : this.#unsettledMs(read, since);
    if (wait <= 0) return await this.#take(path, read, since, force);
    const { leaving = none, graceMs = this.#options.graceMs } = known ?? {};
    this.#files.set(path, { stamp: read.stamp, since, taken: false, leaving, graceMs });
    return wait;
  }

  /** How much longer a content has to be left alone; a file with an older date was finished before we looked. */
  #unsettledMs(read: Resolved, since: number): number {
    if (read.kind !== 'content') return 0;
    const age = Math.max(performance.now() - since, Date.now() - read.modifiedMs);
    return this.#options.stableMs - age;
  }

  async #take(path: string, read: Resolved, since: number, force: boolean): Promise<number | undefined> {
    const { store, book } = this.#options;
    const content = await this.#contentOf(path, read);
    const gone = [...store.entriesOf(path)].filter(([id]) => !content.entries.has(id));
    const removed = gone.map(([id]) => id).filter((id) => !content.invalid.has(id));
    const leaving = content.unclear ? none : new Set(removed);
    const former = new Map(gone.filter(([, entry]) => !isCloser(entry)));
    store.setFile(path, new Map([...content.entries, ...gone, ...closersOf(content, former)]));
    book.setFile(
      path,
      content.problems.map((problem) => withFormer(problem, former)),
    );
    const isEmptied = read.kind === 'content' && read.text.length === 0;
    const graceMs = this.#options.graceMs * (isEmptied ? emptiedFactor : 1);
    const state = { stamp: read.stamp, since, taken: true, leaving, graceMs };
    this.#files.set(path, state);
    return this.#release(path, state, force);
  }

  async #contentOf(path: string, read: Resolved): Promise<FileContent> {
    if (read.kind === 'missing') return nothing;
    if (read.kind === 'error') return unread(path, read.message);
    this.youngestMs = Math.max(this.youngestMs, read.modifiedMs);
    const { reader, store } = this.#options;
    try {
      return await reader.content(path, read.text, (kind, id) => store.find(storeId(kind, id)));
    } catch (error) {
      if (error instanceof ReadingRejected) return unread(path, error.message);
      throw error;
    }
  }

  /** Removes what left the file, once it was gone for long enough. */
  #release(path: string, state: FileState, force: boolean): number | undefined {
    const { store } = this.#options;
    const { graceMs } = state;
    if (state.leaving.size > 0) {
      const wait = force ? 0 : graceMs - (performance.now() - state.since);
      if (this.keepAll) return graceMs;
      if (wait > 0) return wait;
      const staying = [...store.entriesOf(path)].filter(([id]) => !state.leaving.has(id));
      store.setFile(path, new Map(staying));
      this.#files.set(path, { ...state, leaving: none });
    }
    if (state.stamp === 'missing' && !this.keepAll) this.#files.delete(path);
    return undefined;
  }
}
