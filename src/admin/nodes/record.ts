import * as z from 'zod';
import { answer, count, flag, object, time, warning } from '../resource/leaves.ts';

/** How many data planes there are, and how they are. */
export const nodeCounts = {
  nodeCount: count,
  connectedNodeCount: count,
  readyNodeCount: count,
  currentVersionNodeCount: count,
  driftedNodeCount: count,
};

const refusal = object({
  kind: z.enum(['route', 'backend', 'endpoints', 'listener', 'secret']),
  key: z.string(),
  resourceType: z.string(),
  message: z.string(),
  since: time,
  heldBackFrom: z.enum(['node', 'fleet']),
});

export const node = object({
  nodeId: z.string(),
  name: z.string(),
  gateway: z.string(),
  gatewayKnown: flag,
  cluster: z.string(),
  version: z.string(),
  envoyVersion: z.string(),
  connected: flag,
  ready: flag,
  connectedAt: time,
  disconnectedAt: time.nullable(),
  disconnectReason: z.string().nullable(),
  lastSeenAt: time,
  lastSentVersion: z.string().nullable(),
  lastAckVersion: z.string().nullable(),
  lastConfigVersion: z.string().nullable(),
  lastNonce: z.string().nullable(),
  lastConfigStatus: answer,
  lastNackVersion: z.string().nullable(),
  lastNackMessage: z.string().nullable(),
  subscriptions: z.array(z.string()),
  stream: z.enum(['delta', 'sotw']),
  peer: z.string(),
  replica: z.string(),
  staleSince: time.nullable(),
  supersededCount: count,
  refusals: refusal.array(),
  refusalCount: count,
});

/** What a node refused until an operator had it offered again. */
export const offeredAgain = object({ nodeId: z.string(), gateway: z.string(), refusals: refusal.array() });

export const replica = object({
  identity: z.string(),
  address: z.string().nullable(),
  state: z.enum(['self', 'connected', 'lost', 'unreachable', 'left']),
  snapshotVersion: z.string().nullable(),
  nodeCount: count,
  lastHeardAt: time.nullable(),
});

export const snapshotSync = object({
  snapshotVersion: z.string().nullable(),
  generatedAt: time.nullable(),
  publishedFor: z.string().nullable(),
  summary: object({ ...nodeCounts, disconnectedNodeCount: count }),
  nodes: z.array(
    object({
      nodeId: z.string(),
      cluster: z.string(),
      gateway: z.string(),
      connected: flag,
      ready: flag,
      sync: z.enum(['current', 'drifted']),
      state: z.enum(['snapshot-missing', 'disconnected', 'rejected', 'drifted', 'awaiting-ready', 'current-ready']),
      reason: z.string(),
      message: z.string(),
      lastConfigStatus: answer,
      lastAckVersion: z.string().nullable(),
      lastSentVersion: z.string().nullable(),
      lastNackVersion: z.string().nullable(),
      lastNackNonce: z.string().nullable(),
      lastNackMessage: z.string().nullable(),
      lastSeenAt: time,
      connectedAt: time,
      disconnectedAt: time.nullable(),
      replica: z.string(),
    }),
  ),
  warnings: z.array(warning),
});
