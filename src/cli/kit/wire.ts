import type { z } from 'zod';
import type { layout1, whatIf } from '../../admin/index.ts';

type Schemas = typeof layout1;
type Of<K extends keyof Schemas> = Schemas[K] extends z.ZodType ? z.infer<Schemas[K]> : never;

/** What the admin API answers, as its schemas have it. */
export interface Wire {
  readonly summary: Of<'summary'>;
  readonly infrastructure: Of<'infrastructure'>;
  readonly sync: Of<'snapshotSync'>;
  readonly node: Of<'node'>;
  readonly offeredAgain: Of<'offeredAgain'>;
  readonly route: Of<'route'>;
  readonly listener: Of<'listener'>;
  readonly backend: Of<'backend'>;
  readonly gateway: Of<'gateway'>;
  readonly certificate: Of<'certificateUse'>;
  readonly service: Of<'catalogService'>;
  readonly routeTest: Of<'routeTest'>;
  readonly envoySnapshot: Of<'envoySnapshot'>;
  readonly diff: z.infer<(typeof whatIf)['diff']>;
}
