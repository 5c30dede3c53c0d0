import type { ObjectReference } from '../../graph/index.ts';
import { type ProblemCode, problemCodes, type Severity } from '../../problems/index.ts';
import type { ProblemRecord } from './record.ts';

/** What is found; where it has no words of its own, cause and next step are those of its code. */
export interface Finding {
  readonly code: ProblemCode;
  readonly object: ProblemRecord['object'];
  readonly message: string;
  /** Of the first condition that says it. */
  readonly reason?: string;
  readonly cause?: string;
  readonly next?: string;
  readonly severity?: Severity;
  readonly since?: Date | undefined;
  /** Findings with one code and this are one problem; by default those with one message. */
  readonly likeness?: string;
  /** Routes that have the problem too, because they use the object. */
  readonly users?: Iterable<ObjectReference>;
  /** Of a certificate, the days of the last line that was due. */
  readonly stage?: number;
}

const order = Object.keys(problemCodes);

/** Findings with one code and likeness are one problem of the first object. The worst come first. */
export function toProblems(findings: Iterable<Finding>): ProblemRecord[] {
  const groups = Map.groupBy(findings, ({ code, message, likeness = message }) => `${code}\n${likeness}`);
  const problems = [...groups.values()]
    .map(toProblem)
    .sort((a, b) => order.indexOf(a.code) - order.indexOf(b.code) || (a.id < b.id ? -1 : 1));
  return numbered(problems);
}

/** One object may have several problems of a code, such as a file with two mistakes: the others have a number behind their id. */
function numbered(problems: readonly ProblemRecord[]): ProblemRecord[] {
  const seen = new Map<string, number>();
  return problems.map((problem) => {
    const count = (seen.get(problem.id) ?? 0) + 1;
    seen.set(problem.id, count);
    return count === 1 ? problem : { ...problem, id: `${problem.id}#${count}` };
  });
}

function toProblem([first, ...others]: readonly Finding[]): ProblemRecord {
  const { code, object, message, reason, cause, next, since, severity } = first as Finding;
  const row = problemCodes[code];
  return {
    id: `${code}:${object.kind}/${object.namespace}/${object.name}`,
    severity: severity ?? row.severity,
    area: row.area,
    code,
    object,
    message,
    cause: cause ?? row.meaning,
    next: next ?? row.remedy,
    since: since?.toJSON() ?? null,
    count: 1 + others.length,
    links: linksOf(object, code === 'traffic_failing' ? (reason ?? code) : code),
  };
}

const paths: Readonly<Record<string, string>> = { Gateway: 'gateways' };

/** Where the API has more of it: the object, and what the code means. */
function linksOf({ kind, namespace, name }: Finding['object'], code: string): string[] {
  const explain = `/v1/explain/${code}`;
  const at = [namespace, name].map(encodeURIComponent).join('/');
  if (kind.endsWith('Route')) return [`/v1/routes/${kind.toLowerCase()}/${at}`, explain];
  // The list of Gateways has those of our classes only.
  if (kind in paths && code !== 'gateway_class_unknown') return [`/v1/${paths[kind]}/${at}`, explain];
  return [explain];
}

/** `Gateway default/edge`, `listener default.edge.http`: how texts name what a problem is about. */
export const nameOf = ({ kind, namespace, name }: ProblemRecord['object']): string =>
  `${words[kind] ?? kind} ${namespace === '' ? name : `${namespace}/${name}`}`;

const words: Readonly<Record<string, string>> = {
  Listener: 'listener',
  Node: 'node',
  Backend: 'backend',
  Certificate: 'certificate',
  File: 'file',
  ControlPlane: 'control plane',
};
