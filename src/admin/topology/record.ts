import * as z from 'zod';
import { count, object, warning } from '../resource/leaves.ts';
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
] as const;

/** `degraded`: serves, with something missing. */
const health = z.enum(['healthy', 'degraded', 'failed', 'unknown']);

/** Who depends on whom. Every edge's ends are among the nodes. */
export const topology = object({
  snapshotVersion: z.string().nullable(),
  nodes: z.array(
    object({
      // Its type and its name, such as `route/httproute/default/web`.
      id: z.string(),
      type: z.enum(topologyTypes),
      label: z.string(),
      // Empty for what belongs to no namespace.
      namespace: z.string(),
      name: z.string(),
      status: health,
      // What is wrong, or what there is to know.
      detail: z.string(),
    }),
  ),
  edges: z.array(
    object({
      // From the one that depends to the one it depends on: class and Gateway, Gateway and listener the other way round.
      source: z.string(),
      target: z.string(),
      type: z.enum(['attach', 'forward', 'mirror', 'resolve', 'serve']),
      // Share of requests that a route forwards, over all of its rules; null for other edges.
      weight: count.nullable(),
      status: health,
    }),
  ),
  warnings: z.array(warning),
});

export type Topology = Shown<typeof topology>;
export type TopologyNode = Topology['nodes'][number];
export type TopologyType = TopologyNode['type'];
export type TopologyEdge = Topology['edges'][number];
export type TopologyStatus = TopologyNode['status'];
