import { Re2Steps } from './re2-steps.ts';
import { type Replacement, replacementFault } from './replacement.ts';

/** Why an expression cannot change paths: a path without the slash at its beginning would be read as a part of a host, or as a URL. */
export function pathReplacementFault(field: string, replacement: Replacement): string | undefined {
  const fault = replacementFault(field, replacement);
  if (fault !== undefined || replacement.substitution.startsWith('/')) return fault;
  return takesFirstSlash(replacement.pattern)
    ? `${field}.pattern may match the slash that paths begin with, and ${field}.substitution begins with something else: let both begin with /`
    : undefined;
}

/** Whether an expression may match from the beginning of a path on: its slash, or nothing before it. */
function takesFirstSlash(pattern: string): boolean {
  const steps = new Re2Steps(pattern);
  const start = steps.start();
  return start.isMatch || steps.takes(start, '/');
}
