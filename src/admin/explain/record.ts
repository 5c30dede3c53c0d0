import * as z from 'zod';
import { object } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** What a code means, what causes it, and what to do. */
export const explanation = object({
  code: z.string(),
  // A problem of `/v1/problems`, a flag of Envoy's access log, the reason of a condition, or an error code of this API.
  kind: z.enum(['problem', 'flag', 'reason', 'error']),
  summary: z.string(),
  causes: z.array(z.string()).readonly(),
  steps: z.array(z.string()).readonly(),
  // A page of the documentation, relative to docs/.
  docs: z.string(),
});

export type Explanation = Shown<typeof explanation>;
