import * as z from 'zod';
import { certificate } from '../certificates/record.ts';
import { condition, count, flag, named, object, reference } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const listener = named('Listener', 'One listener of one of our Gateways.', {
  name: z.string(),
  gateway: object({ namespace: z.string(), name: z.string() }),
  source: z.enum(['Gateway', 'ListenerSet']),
  section: z.string(),
  addresses: z.array(object({ type: z.string(), value: z.string() })),
  port: z.int(),
  protocol: z.string(),
  hostname: z.string().nullable(),
  tls: object({
    mode: z.string(),
    certificates: z.array(certificate),
    frontendValidation: z
      .enum(['AllowValidOnly', 'AllowInsecureFallback'])
      .nullable()
      .describe('Null: client certificates are not asked for.'),
  }).nullable(),
  attachedRoutes: count,
  routes: z.array(reference),
  conditions: z.array(condition),
  accepted: flag,
  programmed: flag,
  resolvedRefs: flag,
});

export const lightListener = listener
  .omit({ routes: true })
  .meta({ id: 'LightListener', description: 'A listener without the routes that are attached to it.' });

export type ListenerRecord = Shown<typeof listener>;
