import * as z from 'zod';
import { flag, named } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** In the order of a person's interest. */
export const categories = ['gateway', 'route', 'policy', 'backend', 'ai', 'core'] as const;

export const resourceKind = named(
  'ResourceKind',
  'A kind of object that is read, and whether it is available and can be written here.',
  {
    kind: z.string(),
    apiVersion: z.string(),
    category: z.enum(categories),
    description: z.string(),
    namespaced: flag,
    writable: flag,
    writableMessage: z
      .string()
      .describe('Why it is not, and what would help; empty when writable, and for kinds that are not managed.'),
    available: flag,
    availabilityMessage: z.string().describe('Empty when available.'),
  },
);

export type ResourceKindRecord = Shown<typeof resourceKind>;
