import { RE2JS } from '@bufbuild/re2';
import { maxRegexProgramSize } from '../../contracts/index.ts';

/** The proxy's RE2 makes larger programs, of bytes instead of characters: what is too large here is too large there. */
export function compileFault(pattern: string): string | undefined {
  if (pattern === '') return 'is empty: leave the match out, or say what to match';
  try {
    const size = new RE2JS(pattern).re2Input.prog.numInst();
    if (size <= maxRegexProgramSize) return undefined;
    return `is too large: its program has ${size} steps, and may have ${maxRegexProgramSize}; repeat less in it`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `is not RE2 (${reason}): lookarounds and backreferences are not available`;
  }
}
