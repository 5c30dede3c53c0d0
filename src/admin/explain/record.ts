import * as z from 'zod';
import { named } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const explanation = named('Explanation', 'What a code means, what causes it, and what to do.', {
  code: z.string(),
  kind: z
    .enum(['problem', 'flag', 'detail', 'reason', 'error'])
    .describe(
      "A problem of `/v1/problems`, a flag of Envoy's access log, its words for an answer of its own (`%RESPONSE_CODE_DETAILS%`), the reason of a condition, or an error code of this API.",
    ),
  summary: z.string(),
  causes: z.array(z.string()).readonly(),
  steps: z.array(z.string()).readonly(),
  docs: z.string().describe('A page of the documentation, relative to docs/.'),
});

export type Explanation = Shown<typeof explanation>;
