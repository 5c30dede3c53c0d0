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
  /** The version before this one is still served. */
  readonly isFormerServed?: true;
}

/** A problem that stands. */
export interface FileProblem extends Problem {
  /** When it came up. */
  readonly since: Date;
}

/** Called when a problem comes up, and when it ends. */
export type ReportProblem = (problem: FileProblem, state: 'raised' | 'ended') => void;

/** `FILE:LINE:COLUMN: OBJECT: MESSAGE`, as editors and terminals link it. */
export const formatProblem = ({ file, line, column, object, message, isFormerServed }: Problem): string =>
  `${file}:${line}:${column}: ${object === undefined ? '' : `${object}: `}${message}${isFormerServed ? '; the former version is still served' : ''}`;

/** The problems there are now, by file. Each is reported when it comes up: once for each content of its file. */
export class ProblemBook {
  readonly #report: ReportProblem;
  readonly #byFile = new Map<string, readonly FileProblem[]>();
  #between: readonly FileProblem[] = [];

  constructor(report: ReportProblem) {
    this.#report = report;
  }

  /** Replaces what is known about one file after its content was read. */
  setFile(file: string, problems: readonly Problem[]): void {
    const before = this.#byFile.get(file) ?? [];
    const now = dated(problems, before);
    if (now.length === 0) this.#byFile.delete(file);
    else this.#byFile.set(file, now);
    this.#reportEnded(before, now);
    for (const problem of now) this.#report(problem, 'raised');
  }

  /** Replaces what is wrong between files; what was known before is not reported again. */
  setBetweenFiles(problems: readonly Problem[]): void {
    const before = this.#between;
    const known = new Set(before.map(formatProblem));
    this.#between = dated(problems, before);
    this.#reportEnded(before, this.#between);
    for (const problem of this.#between) if (!known.has(formatProblem(problem))) this.#report(problem, 'raised');
  }

  #reportEnded(before: readonly FileProblem[], now: readonly FileProblem[]): void {
    const standing = new Set(now.map(formatProblem));
    for (const problem of before) if (!standing.has(formatProblem(problem))) this.#report(problem, 'ended');
  }

  /** In the order of files and places. */
  list(): readonly FileProblem[] {
    return [...this.#byFile.values(), this.#between]
      .flat()
      .sort((a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column);
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A problem that stood before is as old as it was. */
function dated(problems: readonly Problem[], before: readonly FileProblem[]): FileProblem[] {
  const times = new Map(before.map((problem) => [formatProblem(problem), problem.since]));
  return problems.map((problem) => ({ ...problem, since: times.get(formatProblem(problem)) ?? new Date() }));
}
