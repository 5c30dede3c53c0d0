import { RE2JS } from '@bufbuild/re2';
import { type Replacement, replacementFault } from './replacement.ts';

/** Why an expression cannot change paths: a path without the slash at its beginning would be read as a part of a host, or as a URL. */
export function pathReplacementFault(field: string, replacement: Replacement): string | undefined {
  const fault = replacementFault(field, replacement);
  if (fault !== undefined || replacement.substitution.startsWith('/')) return fault;
  return takesFirstSlash(replacement.pattern)
    ? `${field}.pattern may match the slash that paths begin with, and ${field}.substitution begins with something else: let both begin with /`
    : undefined;
}

const slash = '/'.charCodeAt(0);

/** What instructions of a program are called; the package exports no names of them. */
interface Operations {
  readonly ALT: number;
  readonly ALT_MATCH: number;
  readonly CAPTURE: number;
  readonly EMPTY_WIDTH: number;
  readonly FAIL: number;
  readonly MATCH: number;
  readonly NOP: number;
  readonly RUNE_ANY: number;
  readonly RUNE_ANY_NOT_NL: number;
}

/** Whether an expression may match from the beginning of a path on: its slash, or nothing before it. */
function takesFirstSlash(pattern: string): boolean {
  const { prog } = RE2JS.compile(pattern).re2Input;
  const { ALT, ALT_MATCH, CAPTURE, EMPTY_WIDTH, FAIL, MATCH, NOP, ...any } = prog.getInst(prog.start)
    .constructor as unknown as Operations;
  const open = [prog.start];
  const seen = new Set<number>();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const step = prog.getInst(at);
    if (step.op === MATCH) return true;
    if (step.op === ALT || step.op === ALT_MATCH) open.push(step.out, step.arg);
    else if (step.op === CAPTURE || step.op === EMPTY_WIDTH || step.op === NOP) open.push(step.out);
    else if (step.op === any.RUNE_ANY || step.op === any.RUNE_ANY_NOT_NL) return true;
    else if (step.op !== FAIL && step.matchRune(slash)) return true;
  }
  return false;
}
