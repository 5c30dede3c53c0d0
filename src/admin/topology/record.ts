import * as z from 'zod';
import { level, part, policyName } from '../access/leaves.ts';
import { latePicks } from '../picks/record.ts';
import { count, named, object, warning } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** What a node of the topology stands for. */
export const topologyTypes = [
  'gatewayclass',
  'gateway',
  'listener',
  'route',
  'backend',
  'endpoints',
  'dataplane',
  'policy',
] as const;

/** `degraded`: serves, with something missing. */
const health = z.enum(['healthy', 'degraded', 'failed', 'unknown']);

export const topology = named('Topology', "Who depends on whom. Every edge's ends are among the nodes.", {
  snapshotVersion: z.string().nullable(),
  nodes: z.array(
    object({
      id: z.string().describe('Its type and its name, such as `route/httproute/default/web`.'),
      type: z.enum(topologyTypes),
      label: z.string(),
      kind: z.string().optional().describe('Of a policy or a backend: the kind of its object; absent for a Service.'),
      namespace: z.string().describe('Empty for what belongs to no namespace.'),
      name: z.string(),
      status: health,
      detail: z.string().describe('What is wrong, or what there is to know.'),
      picks: latePicks
        .optional()
        .describe('Of an InferencePool: what became of requests in 15 minutes, as route tests have it.'),
      count: count.optional().describe('With `group`: how many nodes it stands for.'),
    }),
  ),
  edges: z.array(
    object({
      source: z
        .string()
        .describe(
          'From the one that depends to the one it depends on: class and Gateway, Gateway and listener the other way round.',
        ),
      target: z.string(),
      type: z
        .enum(['attach', 'forward', 'mirror', 'resolve', 'serve', 'apply', 'pick'])
        .describe('`pick`: from an InferencePool to the Service of its endpoint picker.'),
      weight: count
        .nullable()
        .describe('Share of requests that a route forwards, over all of its rules; null for other edges.'),
      status: health,
      access: z
        .array(
          object({
            part: part.describe('Which part of the policy.'),
            level: level.describe('Where the policy is attached.'),
            state: z
              .enum(['inForce', 'closed', 'overridden', 'conflicted'])
              .describe('`closed`: requests are answered 500. `overridden`, `conflicted`: by the policy in `by`.'),
            by: policyName.nullable().describe('The policy that overrides it or is older; null: none.'),
          }),
        )
        .optional()
        .describe('Of an AccessPolicy: what became of each of its parts there, and by which policy.'),
    }),
  ),
  warnings: z.array(warning),
  total: count
    .optional()
    .describe('With `focus`, `group` or `limit`: how many nodes fit, of which `nodes` has the first.'),
});

export type Topology = Shown<typeof topology>;
export type TopologyNode = Topology['nodes'][number];
export type TopologyType = TopologyNode['type'];
export type TopologyEdge = Topology['edges'][number];
export type TopologyStatus = TopologyNode['status'];
