/** Something in a file that a person should look at. */
export interface Finding {
  /** An `error` keeps an object out; a `warning` says that something is ignored. */
  readonly severity: 'error' | 'warning';
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** `HTTPRoute default/shop`, when it is known which object it is. */
  readonly object?: string;
  /** `spec.rules[0].matches`; empty when it is about the whole object or file. */
  readonly path: string;
  readonly message: string;
  /** What may help to mend it. */
  readonly hint?: string;
}

/** `FILE:LINE:COLUMN: error: OBJECT: PATH: MESSAGE`, as editors and terminals link it, and the hint on a line of its own. */
export function formatFinding({ severity, file, line, column, object, path, message, hint }: Finding): string {
  const what = [severity, object, path, message].filter((part) => part !== undefined && part !== '').join(': ');
  return `${file}:${line}:${column}: ${what}${hint === undefined ? '' : `\n  hint: ${hint}`}`;
}

/** The last line: how much was looked at, and what came of it. */
export function formatSummary(counts: {
  readonly files: number;
  readonly objects: number;
  readonly findings: readonly Finding[];
}): string {
  const of = (severity: Finding['severity']) =>
    counts.findings.filter((finding) => finding.severity === severity).length;
  const looked = `${plural(counts.objects, 'object')} in ${plural(counts.files, 'file')}`;
  return `${looked}: ${plural(of('error'), 'error')}, ${plural(of('warning'), 'warning')}`;
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
