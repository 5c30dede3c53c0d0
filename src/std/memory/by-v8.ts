/**
 * The parts as one string that holds nothing else. Strings put together by `+` or in a template are kept as what they were put
 * together of: twice the memory, for a key that is kept.
 */
export const flatten = (parts: readonly string[], separator: string): string => parts.join(separator);

/** The same list without spare capacity: lists made by `flatMap`, `filter` and `push` have room for 16 more, which takes 128 bytes. */
export const trim = <T>(list: readonly T[]): readonly T[] => list.slice();
