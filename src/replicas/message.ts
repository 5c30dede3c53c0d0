import * as z from 'zod';
import { formatDigest } from '../ir/index.ts';
import type { NodeView } from '../xds/index.ts';

/*
 * What replicas tell each other: one JSON object for each `data:` line of an event stream. Replicas of two versions talk to
 * each other during an upgrade: fields may be added, kinds of messages that are not known are passed over.
 */

const time = z.coerce.date();

const digest = z.string().regex(/^[0-9a-f]{32}$/);

const refusal = z.object({
  kind: z.enum(['route', 'backend', 'endpoints', 'listener', 'secret']),
  key: z.string(),
  digest: digest.transform((text) => BigInt(`0x${text}`)),
  typeUrl: z.string(),
  message: z.string(),
  since: time,
});

const node = z.object({
  nodeId: z.string().min(1),
  cluster: z.string(),
  gateway: z.string(),
  version: z.string(),
  envoyVersion: z.string(),
  adminPort: z.number().optional(),
  connected: z.boolean(),
  ready: z.boolean(),
  stream: z.enum(['delta', 'sotw']),
  peer: z.string(),
  connectedAt: time,
  disconnectedAt: time.optional(),
  disconnectReason: z.string().optional(),
  lastSeenAt: time,
  lastSentVersion: z.string().optional(),
  lastAckVersion: z.string().optional(),
  lastConfigVersion: z.string().optional(),
  lastNonce: z.string().optional(),
  lastConfigStatus: z.enum(['ACK', 'NACK']).optional(),
  lastNackVersion: z.string().optional(),
  lastNackNonce: z.string().optional(),
  lastNackType: z.string().optional(),
  lastNackMessage: z.string().optional(),
  subscriptions: z.array(z.string()),
  supersededCount: z.number(),
  // A version before this one says nothing of its nodes' refusals: they count as proxies that refuse nothing.
  votes: z.boolean().default(true),
  refusals: z.array(refusal).default([]),
  refusalCount: z.number().default(0),
});

const message = z.discriminatedUnion('type', [
  /** The first one: who speaks, and the id of its newest snapshot. */
  z.object({ type: z.literal('hello'), replica: z.string().min(1), snapshot: z.string().nullable() }),
  z.object({ type: z.literal('snapshot'), snapshot: z.string().nullable() }),
  /** A data plane as it is now. `listeners`: digest of its Gateway's listeners as it has applied them. */
  z.object({ type: z.literal('node'), node, listeners: digest.optional() }),
  /** A data plane that the replica does not list any more. Versions that knew nodes by their ids alone name no `cluster`. */
  z.object({ type: z.literal('forgotten'), nodeId: z.string(), cluster: z.string().optional() }),
  /** An operator wants the node to be sent once more what it refused. */
  z.object({ type: z.literal('offer-again'), nodeId: z.string(), cluster: z.string() }),
  /** Everything there was when the stream began has been told. */
  z.object({ type: z.literal('synced') }),
  /** The replica is stopping in good order. */
  z.object({ type: z.literal('bye') }),
]);

/** A message as it was received. */
export type Message = z.output<typeof message>;

const types: ReadonlySet<unknown> = new Set(message.options.map(({ shape }) => shape.type.value));

/** Undefined for a message of a later version. Throws when it is none. */
export function parseMessage(text: string): Message | undefined {
  const json = JSON.parse(text) as { type?: unknown } | null;
  if (typeof json?.type === 'string' && !types.has(json.type)) return undefined;
  return message.parse(json);
}

/** A message as it is sent. */
export type Outgoing =
  | Exclude<Message, { readonly type: 'node' }>
  | { readonly type: 'node'; readonly node: NodeView; readonly listeners?: string | undefined };

/** The lines of one message in an event stream. */
export function messageText(outgoing: Outgoing): string {
  const json = outgoing.type === 'node' ? { ...outgoing, node: nodeJson(outgoing.node) } : outgoing;
  return `data: ${JSON.stringify(json)}\n\n`;
}

/** Without what its agent asks for: who wants a report asks this replica for it. */
const nodeJson = ({ reportToken: _, ...view }: NodeView) => ({
  ...view,
  refusals: view.refusals.map((each) => ({ ...each, digest: formatDigest(each.digest) })),
});
