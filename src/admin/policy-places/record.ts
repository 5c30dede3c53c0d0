import * as z from 'zod';
import { count, object } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const policyObject = object({ namespace: z.string(), name: z.string() });

/** Where requests meet what a policy says. */
export const placeShape = {
  gateway: policyObject,
  target: object({ kind: z.string(), namespace: z.string(), name: z.string() }),
  section: z.string().nullable().describe('The name of a listener; null: all listeners, or a route.'),
  rule: count.nullable().describe('Position of the rule in its route, from 0; null: not of a route.'),
  ruleName: z.string().nullable().describe('Null: it has no name, or it is not of a route.'),
};

const place = object(placeShape);
export type PlaceName = Shown<typeof place>;
