import * as z from 'zod';
import { answer, count, flag, named, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** How many data planes there are, and how they are. */
export const nodeCounts = {
  nodeCount: count.describe('Connected and lost ones.'),
  connectedNodeCount: count,
  readyNodeCount: count,
  currentVersionNodeCount: count.describe('Connected ones that have the newest snapshot; the others have drifted.'),
  currentVersionReadyCount: count.describe('Of these, the ones that are connected and ready.'),
  driftedNodeCount: count,
  lostNodeCount: count,
};

export const rejection = named('Rejection', 'Content that a data plane rejects.', {
  kind: z.enum(['route', 'backend', 'endpoints', 'listener', 'secret', 'access', 'traffic', 'limit', 'patch']),
  key: z
    .string()
    .describe(
      'Of a route `KIND/NAMESPACE/NAME`; of a listener `PROTOCOL/PORT`, with `|NAME` for one of several on a port; else what the snapshot calls it.',
    ),
  resourceType: z.string().describe('Type URL of the Envoy resource that it was first rejected in.'),
  message: z.string().describe("In the proxy's words."),
  since: time,
  heldBackFrom: z
    .enum(['node', 'fleet'])
    .describe(
      "`fleet`: all proxies of the Gateway reject it, and the object's conditions say so. `node`: others have it.",
    ),
});

const trialOfNode = named('NodeTrial', 'A patch that has not passed a trial at a data plane.', {
  key: z.string(),
  state: z
    .enum(['running', 'untried'])
    .describe('`running`: it is not served before its trial ends. `untried`: it is served without one.'),
  message: z.string(),
  since: time,
});

const unusableDatabase = named('UnusableDatabase', 'A database of places that a data plane cannot use.', {
  database: z
    .enum(['location', 'asn'])
    .describe('`location`: countries, regions and cities. `asn`: autonomous systems.'),
  message: z.string().describe("In the agent's words: the file, what is wrong, and what requests meet meanwhile."),
});

export const node = named(
  'Node',
  'One data plane. Empty strings stand for what the node did not report, null for what has not happened.',
  {
    nodeId: z.string(),
    name: z.string(),
    gateway: z.string(),
    gatewayKnown: flag.describe('False: there is no such Gateway, and the node waits for it.'),
    cluster: z.string(),
    version: z.string(),
    envoyVersion: z.string(),
    connected: flag,
    lost: flag.describe(
      'Its stream ended without a goodbye, and it has not come back: it is listed for ten minutes, or until its pod or Gateway is gone.',
    ),
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
    subscriptions: z.array(z.string()).describe('Type URLs.'),
    stream: z.enum(['delta', 'sotw']),
    peer: z.string(),
    replica: z.string().describe('The control plane replica that it is connected to.'),
    staleSince: time
      .nullable()
      .describe('When that replica was last heard of, if it is not heard of any more: the rest may be out of date.'),
    supersededCount: count,
    refusals: rejection.array().describe('What it rejects and is not sent: the first 64.'),
    refusalCount: count,
    trials: trialOfNode.array().describe('The first 64.'),
    databaseFaults: unusableDatabase.array().describe('By the agent; empty: all that it has can be used.'),
  },
);

export const offeredAgain = named('OfferedAgain', 'What a node rejected until an operator had it offered again.', {
  nodeId: z.string(),
  gateway: z.string(),
  refusals: rejection.array(),
});

export type NodeRecord = Shown<typeof node>;
export type RejectionRecord = Shown<typeof rejection>;
export type OfferedAgainRecord = Shown<typeof offeredAgain>;
