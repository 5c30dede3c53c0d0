/** A value of a database in MaxMind's format. Of types that nothing here reads, undefined. */
export type MmdbValue =
  | string
  | number
  | boolean
  | undefined
  | readonly MmdbValue[]
  | { readonly [key: string]: MmdbValue };

const types = { pointer: 1, text: 2, map: 7, list: 11, boolean: 14 } as const;
/** Types of unsigned numbers of up to 32 bits. */
const numbers: readonly number[] = [5, 6];
/** Types that are passed over. */
const passed: readonly number[] = [3, 4, 8, 9, 10, 12, 13, 15];
const deepest = 16;
const mostValues = 512;

/** So many bytes of a section, from a place in it. Throws RangeError where they are not there. */
export type Section = (at: number, length: number) => Buffer;

/** Reads values of one section of a database. Throws RangeError where they lead out of it, or are too many. */
export class ValueReader {
  /** Types of the entries of the map that was read. */
  readonly entryTypes = new Map<string, number>();
  readonly #section: Section;
  #left = mostValues;

  constructor(section: Section) {
    this.#section = section;
  }

  read(at: number): MmdbValue {
    return this.#read(at, 0).value;
  }

  #read(at: number, depth: number): { readonly value: MmdbValue; readonly end: number } {
    this.#left -= 1;
    if (this.#left < 0 || depth > deepest) throw new RangeError('values are nested too deep, or too many');
    const control = this.#number(at, 1);
    const first = control >> 5;
    if (first === types.pointer) return this.#follow(control, at, depth);
    const type = this.#typeAt(at);
    const { size, start } = this.#sizeOf(control, first === 0 ? at + 2 : at + 1);
    if (type === types.map) return this.#map(size, start, depth);
    if (type === types.list) return this.#list(size, start, depth);
    if (type === types.boolean) return { value: size === 1, end: start };
    return { value: this.#plain(type, start, size), end: start + size };
  }

  #plain(type: number, start: number, size: number): MmdbValue {
    if (type === types.text) return this.#section(start, size).toString('utf8');
    if (numbers.includes(type) && size <= 4) return size === 0 ? 0 : this.#number(start, size);
    if (passed.includes(type)) return undefined;
    throw new RangeError(`a value has type ${type}, which there is not`);
  }

  /** Not of what a pointer leads to. */
  #typeAt(at: number): number {
    const first = this.#number(at, 1) >> 5;
    return first === 0 ? 7 + this.#number(at + 1, 1) : first;
  }

  #number(at: number, length: number): number {
    return this.#section(at, length).readUIntBE(0, length);
  }

  #sizeOf(control: number, at: number): { readonly size: number; readonly start: number } {
    const size = control & 31;
    if (size < 29) return { size, start: at };
    const length = size - 28;
    const least = [29, 285, 65_821][length - 1] ?? 0;
    return { size: least + this.#number(at, length), start: at + length };
  }

  #follow(control: number, at: number, depth: number) {
    const length = ((control >> 3) & 3) + 1;
    const low = this.#number(at + 1, length);
    const high = length === 4 ? 0 : (control & 7) * 2 ** (8 * length);
    const least = [0, 2048, 526_336, 0][length - 1] ?? 0;
    return { value: this.#read(high + low + least, depth + 1).value, end: at + 1 + length };
  }

  #map(size: number, start: number, depth: number) {
    const value: Record<string, MmdbValue> = Object.create(null);
    let end = start;
    for (let index = 0; index < size; index += 1) {
      const key = this.#read(end, depth + 1);
      const entry = this.#read(key.end, depth + 1);
      if (typeof key.value !== 'string') throw new RangeError('a key is no text');
      value[key.value] = entry.value;
      if (depth === 0) this.entryTypes.set(key.value, this.#typeAt(key.end));
      end = entry.end;
    }
    return { value, end };
  }

  #list(size: number, start: number, depth: number) {
    const value: MmdbValue[] = [];
    let end = start;
    for (let index = 0; index < size; index += 1) {
      const entry = this.#read(end, depth + 1);
      value.push(entry.value);
      end = entry.end;
    }
    return { value, end };
  }
}

/** What is at a path of keys; undefined: nothing is. */
export const valueAt = (value: MmdbValue, [key, ...rest]: readonly string[]): MmdbValue => {
  if (key === undefined) return value;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  return valueAt((value as { readonly [name: string]: MmdbValue })[key], rest);
};
