import { RE2JS } from '@bufbuild/re2';

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

/** One place in a program from which it may go on. */
interface Step {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(rune: number): boolean;
}

/** Where a program may stand: which characters each place takes, and whether all that is wanted has been read. */
interface Reached {
  readonly isMatch: boolean;
  readonly steps: readonly Step[];
}

/** A regular expression of RE2 that compiles, step by step. What stands for no character, such as `^`, is taken to hold. */
export class Re2Steps {
  readonly #program;
  readonly #operations: Operations;

  constructor(pattern: string) {
    this.#program = RE2JS.compile(pattern).re2Input.prog;
    this.#operations = this.#program.getInst(this.#program.start).constructor as unknown as Operations;
  }

  start(): Reached {
    return this.#from([this.#program.start]);
  }

  /** After one more character. */
  after({ steps }: Reached, character: string): Reached {
    const rune = character.codePointAt(0) ?? 0;
    return this.#from(steps.filter((step) => this.#takes(step, rune)).map(({ out }) => out));
  }

  takes({ steps }: Reached, character: string): boolean {
    const rune = character.codePointAt(0) ?? 0;
    return steps.some((step) => this.#takes(step, rune));
  }

  #takes(step: Step, rune: number): boolean {
    const { RUNE_ANY, RUNE_ANY_NOT_NL } = this.#operations;
    return step.op === RUNE_ANY || step.op === RUNE_ANY_NOT_NL || step.matchRune(rune);
  }

  #from(places: readonly number[]): Reached {
    const { ALT, ALT_MATCH, CAPTURE, EMPTY_WIDTH, FAIL, MATCH, NOP } = this.#operations;
    const open = [...places];
    const seen = new Set<number>();
    const steps: Step[] = [];
    let isMatch = false;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const step = this.#program.getInst(at) as Step;
      if (step.op === MATCH) isMatch = true;
      else if (step.op === ALT || step.op === ALT_MATCH) open.push(step.out, step.arg);
      else if (step.op === CAPTURE || step.op === EMPTY_WIDTH || step.op === NOP) open.push(step.out);
      else if (step.op !== FAIL) steps.push(step);
    }
    return { isMatch, steps };
  }
}
