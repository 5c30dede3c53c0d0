import * as z from 'zod';
import { flag, object } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** In the order of a person's interest. */
export const categories = ['gateway', 'route', 'policy', 'backend', 'ai', 'core'] as const;

/** A kind of object that is read, and whether it is available and can be written here. */
export const resourceKind = object({
  kind: z.string(),
  apiVersion: z.string(),
  category: z.enum(categories),
  description: z.string(),
  namespaced: flag,
  writable: flag,
  // Why it is not, and what would help; empty when writable, and for kinds that are not managed.
  writableMessage: z.string(),
  available: flag,
  // Empty when available.
  availabilityMessage: z.string(),
});

export type ResourceKindRecord = Shown<typeof resourceKind>;
