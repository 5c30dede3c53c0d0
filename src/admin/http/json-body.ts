import { createHash } from 'node:crypto';
import { pacer } from './pacer.ts';

/** A list whose entries are made only when they are written, so that a long one never holds up anything else. */
export class LazyList<T> implements Iterable<unknown> {
  readonly #entries: Iterable<T>;
  readonly #present: (entry: T) => unknown;

  constructor(entries: Iterable<T>, present: (entry: T) => unknown) {
    this.#entries = entries;
    this.#present = present;
  }

  *[Symbol.iterator](): Generator<unknown> {
    for (const entry of this.#entries) yield this.#present(entry);
  }

  /** For callers that write it in one go. */
  toJSON(): readonly unknown[] {
    return [...this];
  }
}

/** Whether a body is a value that has to be written as JSON. */
export const isJsonValue = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !Buffer.isBuffer(body) && !('pipe' in body);

/** A value as JSON text, and a digest of it. */
export interface JsonBody {
  readonly bytes: Buffer;
  /** Of SHA-256, 22 characters of base64url. */
  readonly digest: string;
}

/** Pieces are joined to about this many characters before they become bytes. */
const chunkLength = 65_536;

/** Equal to JSON.stringify of the value, made piece by piece with turns for others between. */
export async function jsonBody(
  value: unknown,
  { withDigest = true }: { readonly withDigest?: boolean } = {},
): Promise<JsonBody> {
  const pause = pacer();
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  let text = '';
  const flush = () => {
    const chunk = Buffer.from(text);
    if (withDigest) hash.update(chunk);
    chunks.push(chunk);
    text = '';
  };
  for (const piece of piecesOf(value)) {
    text += piece;
    if (text.length >= chunkLength) flush();
    const turn = pause();
    if (turn) await turn;
  }
  flush();
  return { bytes: Buffer.concat(chunks), digest: hash.digest('base64url').slice(0, 22) };
}

/** Lists are taken apart into their entries, plain objects into their fields as long as these hold lists. */
function* piecesOf(value: unknown): Generator<string> {
  if (value instanceof LazyList || Array.isArray(value)) yield* piecesOfList(value);
  else if (isPlain(value)) yield* piecesOfObject(value);
  else yield JSON.stringify(value) ?? 'null';
}

function* piecesOfList(list: Iterable<unknown>): Generator<string> {
  let separator = '[';
  for (const entry of list) {
    yield separator + (JSON.stringify(entry) ?? 'null');
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

function* piecesOfObject(object: Readonly<Record<string, unknown>>): Generator<string> {
  let separator = '{';
  for (const [key, field] of Object.entries(object)) {
    if (field === undefined || typeof field === 'function') continue;
    yield `${separator}${JSON.stringify(key)}:`;
    yield* piecesOf(field);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
