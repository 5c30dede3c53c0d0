import * as z from 'zod';
import { type ProblemCode, problemAreas, problemCodes } from '../../problems/index.ts';
import { object, reference, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** Something that is wrong, with what to do about it. */
export const problem = object({
  // Stays the same while the problem lasts.
  id: z.string(),
  severity: z.enum(['failing', 'warning']),
  area: z.enum(problemAreas),
  code: z.enum(Object.keys(problemCodes) as [ProblemCode, ...ProblemCode[]]),
  // Of a kind of the API server, or Listener, Backend, Certificate, Node, File or ControlPlane. Of a file, `name` is its path.
  object: reference,
  message: z.string(),
  cause: z.string(),
  next: z.string(),
  // Null: not known.
  since: time.nullable(),
  // How many objects have this problem; the first is named.
  count: z.int().min(1),
  // Paths of this API.
  links: z.array(z.string()),
});

/** All that is wrong, the worst first. */
export const problems = object({
  verdict: z.enum(['ok', 'warning', 'failing', 'unknown']),
  sentence: z.string(),
  generatedAt: time,
  total: z.int().min(0),
  items: z.array(problem),
});

export type ProblemRecord = Shown<typeof problem>;
export type ProblemsRecord = Shown<typeof problems>;
