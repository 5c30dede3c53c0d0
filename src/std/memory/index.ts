/** How to hold what there is tens of thousands of: by what V8 does, and by holding equal things once. */

export { inOnePiece, withoutRoom } from './by-v8.ts';
export { bytesOfText, textOfBytes } from './bytes.ts';
export { Recent } from './recent.ts';
export { SharedParts } from './shared-parts.ts';
