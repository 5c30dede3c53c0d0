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

const patchTrial = named('PatchTrial', 'What a proxy that is connected says of a proposed EnvoyPatch.', {
  policy: z.string().describe('`NAMESPACE/NAME` of the EnvoyPatch.'),
  gateway: z.string().nullable().describe('What its proxies serve; null: it is for none.'),
  nodeId: z.string().nullable().describe('The data plane whose agent was asked; null: none was.'),
  envoyVersion: z.string().nullable(),
  verdict: z.enum(['valid', 'rejected', 'untried']),
  message: z.string().describe("Envoy's words, or why it was not tried."),
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
    trials: z
      .array(patchTrial)
      .describe(
        'Of proposed EnvoyPatches, by a second Envoy of one proxy of each version. Empty where there are errors.',
      ),
  },
);

export type ProposedObject = Shown<typeof proposedObject>;
export type PatchTrialRecord = Shown<typeof patchTrial>;
export type ProposalReport = Shown<typeof proposalReport>;
