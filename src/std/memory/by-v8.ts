/**
 * The parts as one string that holds nothing else. Strings put together by `+` or in a template are kept as what they were put
 * together of: twice the memory, for a key that is kept.
 */
export const flatten = (parts: readonly string[], separator: string): string => parts.join(separator);

/** The same list without room for more: what `flatMap`, `filter` and `push` make has room for 16 more, which take 128 bytes. */
export const trim = <T>(list: readonly T[]): readonly T[] => list.slice();
