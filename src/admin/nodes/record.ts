import * as z from 'zod';
import { answer, count, flag, object, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** How many data planes there are, and how they are. */
export const nodeCounts = {
  nodeCount: count,
  connectedNodeCount: count,
  readyNodeCount: count,
  currentVersionNodeCount: count,
  // Of these, the ones that are connected and ready.
  currentVersionReadyCount: count,
  driftedNodeCount: count,
};

/** Content that a data plane rejects. */
export const rejection = object({
  kind: z.enum(['route', 'backend', 'endpoints', 'listener', 'secret']),
  // Of a route `KIND/NAMESPACE/NAME`; of a listener `PROTOCOL/PORT`, with `|NAME` for one of several on a port; else what the snapshot calls it.
  key: z.string(),
  // Type URL of the Envoy resource that it was first rejected in.
  resourceType: z.string(),
  // In the proxy's words.
  message: z.string(),
  since: time,
  // `fleet`: all proxies of the Gateway reject it, and the object's conditions say so. `node`: others have it.
  heldBackFrom: z.enum(['node', 'fleet']),
});

/** One data plane. Empty strings stand for what the node did not report, null for what has not happened. */
export const node = object({
  nodeId: z.string(),
  name: z.string(),
  gateway: z.string(),
  // False: there is no such Gateway, and the node waits for it.
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
  // Type URLs.
  subscriptions: z.array(z.string()),
  stream: z.enum(['delta', 'sotw']),
  peer: z.string(),
  // The control plane replica that it is connected to.
  replica: z.string(),
  // When that replica was last heard of, if it is not heard of any more: the rest may be out of date.
  staleSince: time.nullable(),
  supersededCount: count,
  // What it rejects and is not sent: the first 64.
  refusals: rejection.array(),
  refusalCount: count,
});

/** What a node rejected until an operator had it offered again. */
export const offeredAgain = object({ nodeId: z.string(), gateway: z.string(), refusals: rejection.array() });

export type NodeRecord = Shown<typeof node>;
export type RejectionRecord = Shown<typeof rejection>;
export type OfferedAgainRecord = Shown<typeof offeredAgain>;
