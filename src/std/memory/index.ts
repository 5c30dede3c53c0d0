/** How to hold what there is tens of thousands of: by what V8 does, and by holding equal things once. */

export { flatten, trim } from './by-v8.ts';
export { bytesOfText, textOfBytes } from './bytes.ts';
export { Interner } from './interner.ts';
export { LruMap } from './lru-map.ts';
