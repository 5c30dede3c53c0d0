/** Something in the directory that a person should look at. */
export interface Problem {
  /** An `error` keeps an object, or a newer version of it, out; a `warning` says that something is ignored. */
  readonly severity: 'error' | 'warning';
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** `HTTPRoute default/shop`, when it is known which object it is. */
  readonly object?: string;
  readonly message: string;
}

/** `FILE:LINE:COLUMN: OBJECT: MESSAGE`, as editors and terminals link it. */
export const formatProblem = ({ file, line, column, object, message }: Problem): string =>
  `${file}:${line}:${column}: ${object === undefined ? '' : `${object}: `}${message}`;

/** The problems there are now, by file. Each is reported when it comes up: once for each content of its file. */
export class ProblemBook {
  readonly #report: (problem: Problem) => void;
  readonly #byFile = new Map<string, readonly Problem[]>();
  #between: readonly Problem[] = [];

  constructor(report: (problem: Problem) => void) {
    this.#report = report;
  }

  /** Replaces what is known about one file after its content was read. */
  setFile(file: string, problems: readonly Problem[]): void {
    if (problems.length === 0) this.#byFile.delete(file);
    else this.#byFile.set(file, problems);
    for (const problem of problems) this.#report(problem);
  }

  /** Replaces what is wrong between files; what was known before is not reported again. */
  setBetweenFiles(problems: readonly Problem[]): void {
    const before = new Set(this.#between.map(formatProblem));
    this.#between = problems;
    for (const problem of problems) if (!before.has(formatProblem(problem))) this.#report(problem);
  }

  /** In the order of files and places. */
  list(): readonly Problem[] {
    return [...this.#byFile.values(), this.#between]
      .flat()
      .sort((a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column);
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
