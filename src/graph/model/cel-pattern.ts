import { RE2JS } from '@bufbuild/re2';
import { compileFault } from './compile-fault.ts';
import { regexWeight } from './regex-weight.ts';

/** Envoy's limit for expressions in CEL, below that for routes; some steps are for what it puts around a program. */
const mostSteps = 90;
/** Envoy's programs are of bytes: what stands for characters beyond ASCII takes so many steps at most. */
const stepsOfUnicode = 12;
const lastAscii = 0x7f;

/** Why proxies would reject a regular expression within CEL; undefined: they take it. */
export function celPatternFault(pattern: string): string | undefined {
  // Found before it is compiled: that is what takes the time.
  const weight = regexWeight(pattern);
  if (weight > mostSteps) return tooLarge(weight);
  const wrong = compileFault(pattern);
  if (wrong) return wrong;
  const steps = new RE2JS(pattern).re2Input.prog.inst.reduce((sum, inst) => sum + stepsOf(inst), 0);
  return steps > mostSteps ? tooLarge(steps) : undefined;
}

/** Operations of RE2JS for any character, with or without line ends, and its flag for a letter in either case. */
const anyCharacter: readonly number[] = [10, 11];
const foldCase = 1;

/** `runes`: one character, or the first and the last of each range. */
function stepsOf({
  op,
  arg,
  runes,
}: {
  readonly op: number;
  readonly arg: number;
  readonly runes: readonly number[];
}): number {
  if (anyCharacter.includes(op)) return stepsOfUnicode;
  const ranges = Math.max(1, Math.ceil(runes.length / 2));
  // Some letters have other cases beyond ASCII.
  const isFolded = runes.length === 1 && (arg & foldCase) !== 0;
  return isFolded || runes.some((rune) => rune > lastAscii) ? stepsOfUnicode * ranges : ranges;
}

const tooLarge = (steps: number): string =>
  `is too large: its program has about ${steps} steps, and may have ${mostSteps} here; repeat less in it`;
