import * as z from 'zod';
import { type ProblemArea, problemAreas } from '../../../problems/index.ts';
import { counted, type ToolContext, tool } from './tool.ts';
import type { CertificateAnswer, ProblemsAnswer } from './wire.ts';

/** Something that is not as it should be. */
export interface Problem {
  readonly area: ProblemArea;
  readonly severity: 'failing' | 'warning';
  readonly code: string;
  readonly what: string;
  readonly why: string;
}

/** So many are named; how many there are is always said. */
const mostListed = 50;

export const listProblemsTool = tool({
  name: 'list_problems',
  title: 'Everything that is wrong',
  description:
    'Everything that is wrong, the worst first: backends without endpoints, Gateways, listeners and routes with conditions that are not as they should be, classes that no controller serves, rejected files with line and column, certificates that end soon or cannot be used, data planes that are not current. The answer to “is anything wrong?” and “what is not accepted?”.',
  input: z.strictObject({
    area: z.enum(problemAreas).optional().describe('Only of this'),
  }),
  async run({ area }, context) {
    const filter = area === undefined ? '' : `&area=${encodeURIComponent(area)}`;
    const { items, total } = await ask(context, `/v1/problems?limit=${mostListed}${filter}`);
    return {
      summary: total === 0 ? 'nothing is wrong' : counted(total, 'problem'),
      value: { total, problems: items.map(toProblem) },
    };
  },
});

const ask = async ({ ask }: ToolContext, path: string): Promise<ProblemsAnswer> =>
  (await ask({ method: 'GET', path })).body as ProblemsAnswer;

function toProblem({ area, severity, code, object, message, next, count }: ProblemsAnswer['items'][number]): Problem {
  const { kind, namespace, name } = object;
  const what = `${words[kind] ?? kind} ${namespace === '' ? name : `${namespace}/${name}`}`.trim();
  const more = count > 1 ? ` (and ${count - 1} more with the same problem)` : '';
  return { area, severity, code, what, why: `${message}${more} → ${next}` };
}

const words: Readonly<Record<string, string>> = {
  Listener: 'listener',
  Backend: 'backend',
  Certificate: 'certificate',
  Node: 'data plane',
  File: 'file',
  ControlPlane: 'control plane',
};

/** `ends in 3 days (2026-01-05T…), for shop.test, used by default.edge.https` */
export function certificateText({ state, daysLeft, notAfter, sans, usedBy }: CertificateAnswer): string {
  const users = usedBy.map(({ name }) => name).join(', ') || 'no listener';
  if (state === 'missing') return `is missing: there is no such Secret; used by ${users}`;
  if (state === 'unusable') return `cannot be used; used by ${users}`;
  const names = (sans ?? []).slice(0, 5).join(', ') || 'no name';
  return `${whenText(state, daysLeft ?? 0)} (${notAfter}), for ${names}, used by ${users}`;
}

function whenText(state: CertificateAnswer['state'], days: number): string {
  if (state === 'not-yet-valid') return 'is not valid yet';
  return days < 0 ? `ended ${counted(-days, 'day')} ago` : `ends in ${counted(days, 'day')}`;
}
