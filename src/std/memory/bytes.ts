/**
 * Bytes as a string that has a character of U+0000 to U+00FF for each (latin1): beside what it holds, a string takes 16 bytes, and a
 * Uint8Array 400, for it is an object, its buffer another one, and its memory somewhere else.
 */
export const textOfBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** The bytes again. */
export const bytesOfText = (text: string): Buffer => Buffer.from(text, 'latin1');
