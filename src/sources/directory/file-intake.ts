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

/** What is known of a path: seen (there is something) → read → in the store, at once or after the grace time. */
interface FileState {
  readonly stamp: Stamp;
  /** When this stamp was first seen, by performance.now. */
  readonly since: number;
  readonly isRead: boolean;
  /** Of a content that lacks objects of the former one: what the file has when the grace time is over. */
  readonly next?: Next | undefined;
}

interface Next {
  readonly entries: ReadonlyMap<string, Entry>;
  readonly graceMs: number;
  /** When the file first lacked objects, by performance.now; it may have changed since. */
  readonly since: number;
}

type Resolved = Exclude<ReadResult, { readonly kind: 'unstable' }>;

/**
 * Many writers empty a file before they write it (`>` of a shell, most editors). One that has to wait for the processor in between must
 * not take a Gateway away, so what left an empty file stays this much longer. To delete the file, or its objects alone, is faster.
 */
const emptiedFactor = 10;

/** Of the grace time: a file that lacks objects, and is written again and again, is taken after this as it is. */
const longestFactor = 10;

const nothing: FileContent = { entries: new Map(), invalid: new Set(), closers: [], unclear: false, problems: [] };

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
    if (known?.isRead && (await stampAt(path)) === known.stamp) return this.#release(path, known, force);
    const read = await readStable(path);
    if (read.kind === 'unstable') return force ? undefined : stableMs;
    const since = known?.stamp === read.stamp ? known.since : performance.now();
    const wait = force ? 0 : this.#unsettledMs(read, since);
    if (wait <= 0) return await this.#take(path, read, since, force);
    this.#files.set(path, { stamp: read.stamp, since, isRead: false, next: known?.next });
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
    const isLeaving = (id: string) => !content.unclear && !content.invalid.has(id);
    const former = new Map(gone.filter(([, entry]) => !isCloser(entry)));
    const staying = gone.filter(([id]) => !isLeaving(id));
    const entries = new Map([...content.entries, ...staying, ...closersOf(content, former)]);
    book.setFile(
      path,
      content.problems.map((problem) => withFormer(problem, former)),
    );
    const isWhole = staying.length === gone.length;
    if (isWhole) store.setFile(path, entries);
    const isEmptied = read.kind === 'content' && read.text.length === 0;
    const graceMs = this.#options.graceMs * (isEmptied ? emptiedFactor : 1);
    const next = isWhole ? undefined : { entries, graceMs, since: this.#files.get(path)?.next?.since ?? since };
    const state = { stamp: read.stamp, since, isRead: true, next };
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

  /**
   * Takes a content that lacks objects, once it has done so for long enough. All of it together: if a policy moved to a new route at
   * once, the old route would stay without it until the grace time is over.
   */
  #release(path: string, { stamp, since, next }: FileState, force: boolean): number | undefined {
    if (next) {
      const { entries, graceMs } = next;
      const dueAt = Math.min(since + graceMs, next.since + graceMs * longestFactor);
      const wait = force ? 0 : dueAt - performance.now();
      if (this.keepAll) return graceMs;
      if (wait > 0) return wait;
      this.#options.store.setFile(path, entries);
      this.#files.set(path, { stamp, since, isRead: true });
    }
    if (stamp === 'missing' && !this.keepAll) this.#files.delete(path);
    return undefined;
  }
}
