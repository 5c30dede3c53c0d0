import * as z from 'zod';
import { type ProblemArea, problemAreas } from '../../../problems/index.ts';
import { counted } from '../../../std/index.ts';
import { withQuery } from '../ask-admin.ts';
import { type ToolContext, tool } from './tool.ts';
import type { ProblemsAnswer } from './wire.ts';

/** Something that is not as it should be. */
export interface Problem {
  readonly area: ProblemArea;
  readonly severity: 'failing' | 'warning';
  readonly code: string;
  readonly object: ProblemsAnswer['items'][number]['object'];
  readonly what: string;
  readonly why: string;
  readonly message: string;
  readonly cause: string;
  readonly next: string;
  /** How many objects have it; the first is named. */
  readonly count: number;
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
    namespace: z.string().max(253).optional().describe('Only of objects in this namespace'),
    names: z.array(z.string().max(253)).max(20).optional().describe('Only of objects with one of these names'),
  }),
  async run({ area, namespace, names }, context) {
    const path = withQuery('/v1/problems', { limit: mostListed, area, namespace, name: names?.join(',') });
    const { items, total, verdict } = await ask(context, path);
    return {
      summary: total === 0 ? 'nothing is wrong' : counted(total, 'problem'),
      value: { total, verdict, problems: items.map(toProblem) },
    };
  },
});

const ask = async ({ ask }: ToolContext, path: string): Promise<ProblemsAnswer> =>
  (await ask({ method: 'GET', path })).body as ProblemsAnswer;

function toProblem({
  area,
  severity,
  code,
  object,
  message,
  cause,
  next,
  count,
}: ProblemsAnswer['items'][number]): Problem {
  const { kind, namespace, name } = object;
  const what = `${words[kind] ?? kind} ${namespace === '' ? name : `${namespace}/${name}`}`.trim();
  const more = count > 1 ? ` (and ${count - 1} more with the same problem)` : '';
  return { area, severity, code, object, what, why: `${message}${more} → ${next}`, message, cause, next, count };
}

const words: Readonly<Record<string, string>> = {
  Listener: 'listener',
  Backend: 'backend',
  Certificate: 'certificate',
  Node: 'data plane',
  File: 'file',
  ControlPlane: 'control plane',
};
