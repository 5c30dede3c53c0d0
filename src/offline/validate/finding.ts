/** Where something is. */
export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/** Something in a file that a person should look at. */
export interface Finding extends Place {
  /** An `error` keeps an object out; a `warning` says that something is ignored. */
  readonly severity: 'error' | 'warning';
  /** `HTTPRoute default/shop`, when it is known which object it is. */
  readonly object?: string;
  /** `spec.rules[0].matches`; empty when it is about the whole object or file. */
  readonly path: string;
  readonly message: string;
  /** What may help to fix it. */
  readonly hint?: string;
}

/** How many objects of one kind are not read. */
export interface PassedOver {
  readonly apiVersion: string;
  readonly kind: string;
  readonly count: number;
}

/** `FILE:LINE:COLUMN: error: OBJECT: PATH: MESSAGE`, as editors and terminals link it, and the hint on a line of its own. */
export function formatFinding({ severity, file, line, column, object, path, message, hint }: Finding): string {
  const what = [severity, object, path, message].filter((part) => part !== undefined && part !== '').join(': ');
  return `${file}:${line}:${column}: ${what}${hint === undefined ? '' : `\n  hint: ${hint}`}`;
}

/** The end: how much was looked at, what came of it, and on a second line the kinds that are not read. */
export function formatSummary(counts: {
  readonly files: number;
  readonly objects: number;
  readonly findings: readonly Finding[];
  readonly passedOver?: readonly PassedOver[];
}): string {
  const of = (severity: Finding['severity']) =>
    counts.findings.filter((finding) => finding.severity === severity).length;
  const looked = `${plural(counts.objects, 'object')} in ${plural(counts.files, 'file')}`;
  const found = `${looked}: ${plural(of('error'), 'error')}, ${plural(of('warning'), 'warning')}`;
  const { passedOver = [] } = counts;
  if (passedOver.length === 0) return found;
  return `${found}\nnot read: ${passedOver.map(({ apiVersion, kind, count }) => `${count} ${kind} (${apiVersion})`).join(', ')}`;
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
