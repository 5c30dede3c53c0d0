import * as z from 'zod';
import { type ProblemCode, problemAreas, problemCodes } from '../../problems/index.ts';
import { named, reference, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const problem = named('Problem', 'Something that is wrong, with what to do about it.', {
  id: z.string().describe('Stays the same while the problem lasts.'),
  severity: z.enum(['failing', 'warning']),
  area: z.enum(problemAreas),
  code: z.enum(Object.keys(problemCodes) as [ProblemCode, ...ProblemCode[]]),
  object: reference.describe(
    'Of a kind of the API server, or Listener, Backend, Certificate, Node, File or ControlPlane. Of a file, `name` is its path.',
  ),
  message: z.string(),
  cause: z.string(),
  next: z.string(),
  since: time.nullable().describe('Null: not known.'),
  count: z.int().min(1).describe('How many objects have this problem; the first is named.'),
  links: z.array(z.string()).describe('Paths of this API.'),
});

export const problems = named('Problems', 'All that is wrong, the worst first.', {
  verdict: z.enum(['ok', 'warning', 'failing', 'unknown']),
  sentence: z.string(),
  generatedAt: time,
  total: z.int().min(0),
  items: z.array(problem),
});

export type ProblemRecord = Shown<typeof problem>;
export type ProblemsRecord = Shown<typeof problems>;
