import type { Diagnostic } from '@codemirror/lint';
import { signal } from '@preact/signals';
import { ApiError, apiUrl, ask, type ProposalReport } from '../../api/index.ts';
import { headOf, partsOf, rangeOfPath } from './documents.ts';

/** What the control plane says of a text. */
export interface Judged {
  readonly text: string;
  readonly report: ProposalReport;
}

/** Milliseconds after the last key until the control plane is asked. */
export const judgeRestMs = 400;

export const judged = signal<Judged | undefined>(undefined);

export const sendYaml = async (path: string, text: string, query = {}): Promise<Response> =>
  await ask(apiUrl(path, query), { method: 'POST', body: text, type: 'application/yaml' });

/** Asks the control plane, and puts each fault at its place. */
export async function judge(text: string): Promise<readonly Diagnostic[]> {
  if (partsOf(text).length === 0) return [];
  const report = await reportOn(text);
  judged.value = { text, report };
  return [
    ...report.errors.map((message) => diagnosticOf(text, message, 'error')),
    ...report.warnings.map((message) => diagnosticOf(text, message, 'warning')),
  ];
}

/** A question that has no answer yet. The editor asks about the text that was asked about before it was there. */
let asked: { readonly text: string; readonly report: Promise<ProposalReport> } | undefined;

function reportOn(text: string): Promise<ProposalReport> {
  if (asked?.text === text) return asked.report;
  const report = askFor(text);
  const question = { text, report };
  asked = question;
  const answered = (): void => {
    if (asked === question) asked = undefined;
  };
  report.then(answered, answered);
  return report;
}

async function askFor(text: string): Promise<ProposalReport> {
  try {
    return (await (await sendYaml('/v1/validate', text)).json()) as ProposalReport;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const causes = error.details.map(({ path, message }) => `${path}: ${message}`);
    return { valid: false, errors: [error.message, ...causes], warnings: [], objects: [], trials: [] };
  }
}

function diagnosticOf(text: string, message: string, severity: 'error' | 'warning'): Diagnostic {
  const [from, to] = placeOf(text, message);
  return { from, to: Math.max(to, from), severity, message };
}

/** The line and column that a message names, the field that it names, or the first line of the object that it is about. */
function placeOf(text: string, message: string): readonly [number, number] {
  const [, line, column] = /\bline (\d+):(\d+)/.exec(message) ?? /^(\d+):(\d+)/.exec(message) ?? [];
  if (line !== undefined && column !== undefined) return lineColumn(text, Number(line), Number(column));
  const parts = partsOf(text);
  const part =
    parts.find((each) => {
      const { kind, name } = headOf(each.text);
      return name !== '' && message.startsWith(`${kind} `) && message.includes(name);
    }) ?? parts[0];
  const path = /(?:^|[\s"'`])((?:spec|metadata|apiVersion|kind)(?:[.[][\w.[\]-]*)?)/.exec(message)?.[1];
  const found = part && path ? rangeOfPath(part, path.replace(/[.:]+$/, '')) : undefined;
  if (found) return found;
  const start = (part?.start ?? 0) + ((part?.text ?? '').match(/^\s*/)?.[0].length ?? 0);
  return [start, start];
}

function lineColumn(text: string, line: number, column: number): readonly [number, number] {
  const before = text.split('\n').slice(0, line - 1);
  const start = Math.min(text.length, before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1);
  return [start, Math.min(text.length, start + 1)];
}
