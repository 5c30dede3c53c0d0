import { RE2JS } from '@bufbuild/re2';

/**
 * A repeated group that begins with something optional, such as `([\t ]?[!-~]+)*` of header values. JavaScript tries every way to cut a text into such
 * groups, and each character doubles their number. Go's expressions, which patterns of definitions are, never do.
 */
const isAmbiguous = (pattern: string): boolean => /\((?:\?:)?\[[^\]]*\][?*][^()]*[+*]\)[*+{]/.test(pattern);

/** Compiles patterns of definitions so that no value takes for ever. JavaScript's own engine is ten times as fast, and safe for most of them. */
export const patternEngine = Object.assign(
  (pattern: string, flags: string): Pick<RegExp, 'test'> =>
    isAmbiguous(pattern) ? RE2JS.compile(pattern) : new RegExp(pattern, flags),
  // Of code that is written to a file, which ours is not.
  { code: 'patternEngine' },
);
