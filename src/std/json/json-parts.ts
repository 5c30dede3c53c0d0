import { setImmediate as nextTurn } from 'node:timers/promises';
import { sliceMs } from '../steps/index.ts';

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];
/** Bytes up to this one are blanks. */
const blank = 0x20;

/** What is nested deeper is no answer of a program that means well. */
const mostDepth = 500;
/** Names of fields that are asked for are short. One that is longer is none of them, and need not be kept. */
const mostKeyBytes = 1024;

/** A piece of a text of JSON: a value that was asked for, with the names of the fields that lead to it (`*` in a list), or what lies between two of them. */
export interface JsonPart {
  readonly path?: readonly string[];
  readonly bytes: Buffer;
}

/** Whether the value at a path is wanted as a whole. The path is another one at the next call. */
export type Wanted = (path: readonly string[]) => boolean;

/**
 * A text of JSON in pieces, while it comes in. It is neither parsed nor kept as a whole: at ten thousands of routes it is a hundred megabytes. Throws a
 * SyntaxError where brackets do not fit; a value may be no JSON nevertheless.
 */
export async function* jsonParts(chunks: AsyncIterable<Buffer>, isWanted: Wanted): AsyncGenerator<JsonPart> {
  const scanner = new Scanner(isWanted);
  let turnMs = performance.now();
  for await (const chunk of chunks) {
    yield* scanner.scan(chunk);
    if (performance.now() - turnMs < sliceMs) continue;
    // Chunks that are there already come without a turn for others.
    await nextTurn();
    turnMs = performance.now();
  }
  yield* scanner.end();
}

class Scanner {
  readonly #isWanted: Wanted;
  /** For each bracket that is open, whether it is a list. */
  readonly #lists: boolean[] = [];
  /** As Wanted has it, and as long as #lists. */
  readonly #path: string[] = [];
  #inText = false;
  #escaped = false;
  #inWord = false;
  #keyComes = false;
  /** What has come of a name of a field. */
  #key: Buffer[] | undefined;
  #keyBytes = 0;
  /** What has come of a wanted value, and how many brackets are open around it. */
  #begun: Buffer[] | undefined;
  #around = 0;
  /** Pieces of the chunk that is scanned, and where the next one begins. */
  #parts: JsonPart[] = [];
  #start = 0;

  constructor(isWanted: Wanted) {
    this.#isWanted = isWanted;
  }

  scan(chunk: Buffer): JsonPart[] {
    this.#parts = [];
    this.#start = 0;
    let keyStart = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      if (this.#inText) {
        at = this.#endOfText(chunk, at);
        if (at === chunk.length) break;
        if (this.#key === undefined) this.#ends(chunk, at + 1);
        else this.#named(chunk.subarray(keyStart, at));
        continue;
      }
      const byte = chunk[at] as number;
      if (byte <= blank) this.#endsWord(chunk, at);
      else if (byte === quote) {
        this.#inText = true;
        if (!this.#keyComes) this.#begins(chunk, at);
        else {
          this.#key = [];
          this.#keyBytes = 0;
          keyStart = at + 1;
        }
      } else if (byte === comma) {
        this.#endsWord(chunk, at);
        this.#keyComes = this.#lists.at(-1) === false;
      } else if (byte === colon) this.#keyComes = false;
      else if (byte === openObject || byte === openList) this.#opens(chunk, at, byte === openList);
      else if (byte === closeObject || byte === closeList) this.#closes(chunk, at, byte === closeList);
      else if (!this.#inWord) {
        this.#begins(chunk, at);
        this.#inWord = true;
      }
    }
    if (this.#key !== undefined) this.#keep(chunk.subarray(keyStart));
    this.#rest(chunk);
    return this.#parts;
  }

  /** What is left when nothing comes any more. */
  end(): JsonPart[] {
    if (this.#lists.length > 0 || this.#inText) throw new SyntaxError('the text of JSON ends in the middle');
    // A number or word alone ends with the text.
    return this.#begun === undefined ? [] : [{ path: [], bytes: Buffer.concat(this.#begun) }];
  }

  /** Where the quote is that ends a text; at the end of the chunk there is none in it. */
  #endOfText(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (this.#escaped) this.#escaped = false;
      else if (byte === backslash) this.#escaped = true;
      else if (byte === quote) {
        this.#inText = false;
        return at;
      }
    }
    return chunk.length;
  }

  #opens(chunk: Buffer, at: number, isList: boolean): void {
    this.#begins(chunk, at);
    this.#lists.push(isList);
    this.#path.push(isList ? '*' : '');
    this.#keyComes = !isList;
    if (this.#lists.length > mostDepth) throw new SyntaxError(`the text of JSON is nested deeper than ${mostDepth}`);
  }

  #closes(chunk: Buffer, at: number, isList: boolean): void {
    this.#endsWord(chunk, at);
    this.#path.pop();
    if (this.#lists.pop() !== isList) throw new SyntaxError('a bracket of the text of JSON does not fit');
    this.#keyComes = false;
    this.#ends(chunk, at + 1);
  }

  #endsWord(chunk: Buffer, at: number): void {
    if (!this.#inWord) return;
    this.#inWord = false;
    this.#ends(chunk, at);
  }

  #begins(chunk: Buffer, at: number): void {
    if (this.#begun !== undefined || !this.#isWanted(this.#path)) return;
    if (at > this.#start) this.#parts.push({ bytes: chunk.subarray(this.#start, at) });
    this.#start = at;
    this.#begun = [];
    this.#around = this.#lists.length;
  }

  /** A value ends before `end`. */
  #ends(chunk: Buffer, end: number): void {
    if (this.#begun === undefined || this.#lists.length !== this.#around) return;
    const bytes = Buffer.concat([...this.#begun, chunk.subarray(this.#start, end)]);
    this.#parts.push({ path: [...this.#path], bytes });
    this.#begun = undefined;
    this.#start = end;
  }

  /** A field's name is complete. */
  #named(last: Buffer): void {
    this.#keep(last);
    // Within a wanted value no path is asked for.
    if (this.#begun === undefined)
      this.#path[this.#path.length - 1] = this.#keyBytes > mostKeyBytes ? '' : nameIn(this.#key ?? []);
    this.#key = undefined;
  }

  #keep(bytes: Buffer): void {
    this.#keyBytes += bytes.length;
    if (this.#keyBytes <= mostKeyBytes) this.#key?.push(bytes);
  }

  #rest(chunk: Buffer): void {
    if (this.#start >= chunk.length) return;
    const bytes = chunk.subarray(this.#start);
    if (this.#begun === undefined) this.#parts.push({ bytes });
    else this.#begun.push(bytes);
  }
}

/** A name may be written with escapes. */
function nameIn(parts: readonly Buffer[]): string {
  const [only] = parts;
  const text = (parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)).toString();
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
}
