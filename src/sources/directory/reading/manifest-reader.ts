import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ObjectRef, type Place, type PlacedIn, TextError } from '../edit/document-text.ts';
import type { FileContent } from '../file-content.ts';
import type { Entry } from '../object-store.ts';
import type { FindOld, ObjectValidator, Verdict } from '../validate/index.ts';
import { type Asked, doJob, type Job, type JobResults, ownKind, type ParsedText } from './job.ts';
import { type ThreadLimits, ThreadOfOne } from './thread-of-one.ts';
import { weightOf } from './weight.ts';

/** What is at most this long is read at once, in some milliseconds; what is longer, in a thread. In characters. */
export const inlineLength = 32 * 1024;

export const readingLimits: ThreadLimits = {
  jobMs: 10_000,
  startMs: 60_000,
  memoryMiB: 1_024,
  waiting: 16,
  idleMs: 30_000,
};

export interface ManifestReaderOptions {
  /** Without it nothing can be judged. */
  readonly validator?: ObjectValidator | undefined;
  readonly limits?: Partial<ThreadLimits>;
  /** The caller waits, however many wait already. */
  readonly isPatient?: boolean;
}

/**
 * Reads, judges and edits texts that others wrote. Short ones at once; longer ones in a thread, so that other callers need not wait.
 * What takes too long rejects with ReadingRejected, and a text that is no YAML with TextError where it had to be.
 */
export class ManifestReader {
  readonly #validator: ObjectValidator | undefined;
  readonly #limits: ThreadLimits;
  readonly #thread: ThreadOfOne;
  readonly #isPatient: boolean;

  constructor({ validator, limits = {}, isPatient = false }: ManifestReaderOptions = {}) {
    this.#validator = validator;
    this.#limits = { ...readingLimits, ...limits };
    this.#isPatient = isPatient;
    const setup = { directories: validator?.directories, kinds: (validator?.kinds ?? []).map(({ name }) => name) };
    this.#thread = new ThreadOfOne(setup, this.#limits);
  }

  parse(text: string): Promise<ParsedText> {
    return this.#do({ kind: 'parse', text }, text.length);
  }

  content(file: string, text: string, findOld: FindOld): Promise<FileContent> {
    return this.#do({ kind: 'content', file, text }, text.length, findOld);
  }

  /** In this thread, for that takes less than to hand the object over; but in a turn of its own. */
  async verdict(value: unknown, old: unknown): Promise<Verdict> {
    if (weightOf(value, inlineLength + 1) > inlineLength) await nextTurn();
    return this.#ownValidator().validate(value, () => old as never);
  }

  find(text: string, ref: ObjectRef): Promise<PlacedIn | undefined> {
    return this.#do({ kind: 'find', text, ref }, text.length);
  }

  write(value: unknown, options?: Extract<Job, { readonly kind: 'write' }>['options']): Promise<string> {
    return this.#do({ kind: 'write', value, ...(options && { options }) }, weightOf(value, enough));
  }

  append(text: string, value: unknown): Promise<string> {
    return this.#do({ kind: 'append', text, value }, text.length + weightOf(value, enough));
  }

  replace(text: string, place: Place, value: unknown): Promise<string> {
    return this.#do({ kind: 'replace', text, place, value }, text.length + weightOf(value, enough));
  }

  remove(text: string, places: readonly Place[]): Promise<JobResults['remove']> {
    return this.#do({ kind: 'remove', text, places }, text.length);
  }

  /** Ends its thread. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  async #do<K extends Job['kind']>(job: JobOf<K>, weight: number, findOld: FindOld = () => undefined) {
    const find = ({ kind, ...id }: Asked): unknown => findOld(ownKind(kind), id);
    // What another thread has no definitions for is judged here.
    const isHere = weight <= inlineLength || (this.#validator && !this.#validator.directories);
    return (await (isHere ? this.#here(job, find) : this.#there(job, weight, find))) as JobResults[K];
  }

  #here(job: Job, find: (asked: Asked) => unknown): Promise<unknown> {
    return doJob(job, { validator: async () => this.#ownValidator(), askOld: async (asked) => asked.map(find) });
  }

  #ownValidator(): ObjectValidator {
    if (this.#validator === undefined) throw new Error('a reader without a validator judges nothing');
    return this.#validator;
  }

  async #there(job: Job, weight: number, findOld: (asked: Asked) => unknown): Promise<unknown> {
    const limitMs = this.#limits.jobMs * Math.max(1, weight / mebi);
    try {
      const { result, entries } = await this.#thread.run({ job, limitMs, findOld }, this.#isPatient);
      return broughtHome(job.kind, result, entries);
    } catch (error) {
      throw (error as Error).name === 'TextError' ? new TextError((error as Error).message) : error;
    }
  }
}

type JobOf<K extends Job['kind']> = Extract<Job, { readonly kind: K }>;

const mebi = 1024 * 1024;

/** How much has to be known of a weight: time is allowed by it. */
const enough = 16 * mebi;

/** A result with the kinds of this thread. */
function broughtHome(kind: Job['kind'], result: unknown, entries: readonly (readonly [string, unknown])[]): unknown {
  if (kind !== 'content') return result;
  const home = (entries as readonly (readonly [string, Entry])[]).map(
    ([id, entry]) => [id, { ...entry, kind: ownKind(entry.kind) }] as const,
  );
  return { ...(result as FileContent), entries: new Map(home) };
}
