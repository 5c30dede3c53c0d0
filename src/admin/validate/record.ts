import * as z from 'zod';
import { named } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

const proposedObject = named('ProposedObject', 'One object of a proposal that passes schema and rules.', {
  kind: z.string(),
  namespace: z.string().describe('`_cluster` for cluster-scoped kinds.'),
  name: z.string(),
  operation: z.enum(['created', 'updated', 'unchanged']),
  before: z.string().describe('YAML of what there is, without status; empty when there is none.'),
  after: z.string().describe('YAML of what there would be.'),
});

export const proposalReport = named(
  'ProposalReport',
  'What would happen to a proposal. Each error begins with the object that it is about.',
  {
    valid: z.boolean(),
    errors: z.array(z.string()),
    warnings: z
      .array(z.string())
      .describe('As errors, but of what would work in part or should be known, such as rules that are dropped.'),
    objects: z.array(proposedObject),
  },
);

export type ProposedObject = Shown<typeof proposedObject>;
export type ProposalReport = Shown<typeof proposalReport>;
