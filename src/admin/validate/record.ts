import * as z from 'zod';
import type { Shown } from '../resource/shown.ts';

/** One object of a proposal that passes schema and rules. */
const proposedObject = z.strictObject({
  kind: z.string(),
  // `_cluster` for cluster-scoped kinds.
  namespace: z.string(),
  name: z.string(),
  operation: z.enum(['created', 'updated', 'unchanged']),
  // YAML of what there is, without status; empty when there is none.
  before: z.string(),
  // YAML of what there would be.
  after: z.string(),
});

/** What would happen to a proposal. Each error begins with the object that it is about. */
export const proposalReport = z.strictObject({
  valid: z.boolean(),
  errors: z.array(z.string()),
  // As errors, but of what would work in part or should be known, such as rules that are dropped.
  warnings: z.array(z.string()),
  objects: z.array(proposedObject),
});

export type ProposedObject = Shown<typeof proposedObject>;
export type ProposalReport = Shown<typeof proposalReport>;
