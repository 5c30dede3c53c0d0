import * as z from 'zod';
import { budgetLimits, geoDatabases, rejectedKinds, takeLimits } from '../../contracts/index.ts';
import { formatDigest } from '../../ir/index.ts';
import { clientText, type NodeView } from '../../xds/index.ts';

/*
 * What replicas send each other: one JSON object for each `data:` line of an event stream. Replicas of two versions talk to
 * each other during an upgrade: fields may be added, and unknown kinds of messages are skipped.
 */

const time = z.coerce.date();

// Another replica bounds what its clients say; one of an older version, or one that lies, may not.
const limits = {
  id: 256,
  word: 256,
  words: 8_192,
  types: 64,
  rejections: 64,
  bucket: takeLimits.textLength,
  windows: takeLimits.windows,
  takes: takeLimits.takes,
};
const cut = (length: number) => (text: string) => clientText(text, length);
const word = z.string().transform(cut(limits.word));
const words = z.string().transform(cut(limits.words));

const isOneOf = (words: readonly string[], word: string): boolean => words.includes(word);

const digest = z.string().regex(/^[0-9a-f]{32}$/);

const rejection = z.object({
  kind: z.enum(rejectedKinds),
  key: z.string().transform(cut(1_024)),
  digest: digest.transform((text) => BigInt(`0x${text}`)),
  typeUrl: word,
  message: words,
  since: time,
  trial: z.enum(['running', 'none']).optional(),
});

/** A later version has kinds of content that this one does not know. */
const laterKind = z
  .object({ kind: z.string().refine((kind) => !isOneOf(rejectedKinds, kind)) })
  .transform(() => undefined);

const rejections = z
  .array(rejection.or(laterKind))
  .default([])
  .transform((all) => all.filter((each) => each !== undefined).slice(0, limits.rejections));

const databaseFaults = z
  .array(z.object({ database: z.string(), message: words }))
  .default([])
  // A later version has databases that this one does not know.
  .transform((all) =>
    geoDatabases.flatMap((database) => {
      const found = all.find((each) => each.database === database);
      return found ? { database, message: found.message } : [];
    }),
  );

const node = z.object({
  nodeId: z.string().min(1).transform(cut(limits.id)),
  cluster: z.string().transform(cut(limits.id)),
  gateway: z.string().transform(cut(limits.id)),
  version: word,
  envoyVersion: word,
  adminPort: z.number().optional(),
  connected: z.boolean(),
  ready: z.boolean(),
  stream: z.enum(['delta', 'sotw']),
  peer: word,
  connectedAt: time,
  disconnectedAt: time.optional(),
  disconnectReason: word.optional(),
  lastSeenAt: time,
  lastSentVersion: word.optional(),
  lastAckVersion: word.optional(),
  lastConfigVersion: word.optional(),
  lastNonce: word.optional(),
  lastConfigStatus: z.enum(['ACK', 'NACK']).optional(),
  lastNackVersion: word.optional(),
  lastNackNonce: word.optional(),
  lastNackType: word.optional(),
  lastNackMessage: words.optional(),
  subscriptions: z.array(word).transform((types) => types.slice(0, limits.types)),
  supersededCount: z.number(),
  // A version before this one does not know.
  isPod: z.boolean().default(false),
  // A version before this one says nothing of its nodes' rejections: they count as proxies that reject nothing.
  votes: z.boolean().default(true),
  refusals: rejections,
  refusalCount: z.number().default(0),
  // A version before this one has nothing tried.
  trials: rejections,
  // Nor does it say anything of databases.
  databaseFaults,
});

const tokens = z.number().int().nonnegative();
const debts = z.array(z.number().nonnegative()).max(limits.windows).readonly();

const take = z.object({
  bucket: z.string().max(limits.bucket),
  key: word,
  wanted: tokens,
  least: tokens.optional(),
  used: tokens.optional(),
  back: tokens,
  owner: word,
  debts,
});

const grant = z.object({ granted: tokens, waitMs: z.number().nonnegative(), owner: word, debts });

const amount = z.number().nonnegative();
const count = { policy: z.string().max(budgetLimits.policy), key: z.string().max(budgetLimits.key) };
const request = z.string().max(budgetLimits.request);
const hold = z.object({ ...count, request, tokens: amount, cost: amount });
const sum = z.object({ ...count, per: word, start: z.number(), tokens: amount, cost: amount });
const verdict = z.object({
  used: z.array(amount).max(budgetLimits.budgets).readonly(),
  full: z.array(tokens).max(budgetLimits.budgets).readonly(),
});
const entries = <T extends z.ZodType>(each: T) => z.array(each).max(budgetLimits.entries).readonly();

/** Of questions about limits: who is meant, and the number of the question. */
const addressed = { to: word, id: z.number() };

const message = z.discriminatedUnion('type', [
  /** The first one: who speaks, and the id of its newest snapshot. */
  z.object({
    type: z.literal('hello'),
    replica: z.string().min(1).max(limits.word),
    snapshot: word.nullable(),
    // Versions before this one keep no shared rate limits.
    keepsLimits: z.boolean().default(false),
    // Nor budgets, nor do those without the add-on for AI traffic.
    keepsBudgets: z.boolean().default(false),
  }),
  z.object({ type: z.literal('snapshot'), snapshot: word.nullable() }),
  /** A data plane as it is now. `listeners`: digest of its Gateway's listeners as it has applied them. */
  z.object({ type: z.literal('node'), node, listeners: digest.optional() }),
  /** A data plane that the replica does not list any more. Versions that knew nodes by their ids alone name no `cluster`. */
  z.object({ type: z.literal('forgotten'), nodeId: word, cluster: word.optional() }),
  /** An operator wants the node to be sent once more what it rejected. */
  z.object({ type: z.literal('offer-again'), nodeId: word, cluster: word }),
  /** Proxies of the replica reported failed requests just now: there is something new to ask it for. */
  z.object({ type: z.literal('requests-failed') }),
  /** Another replica is asked for requests of buckets that it keeps. */
  z.object({
    type: z.literal('limit-takes'),
    ...addressed,
    cluster: word,
    takes: z.array(take).max(limits.takes).readonly(),
  }),
  z.object({
    type: z.literal('limit-grants'),
    ...addressed,
    grants: z.array(grant.nullable()).max(limits.takes).readonly(),
  }),
  /** Another replica is asked whether a request may use more of a budget that it keeps. */
  z.object({ type: z.literal('budget-ask'), ...addressed, ...count, request }),
  z.object({ type: z.literal('budget-answer'), ...addressed, verdict: verdict.nullable() }),
  /** To all: what the replica knows of budgets now. */
  z.object({
    type: z.literal('budget-news'),
    holds: entries(hold),
    answers: entries(hold),
    ended: entries(request),
    sums: entries(sum),
    areTotals: z.boolean(),
  }),
  /** Everything there was when the stream began has been sent. */
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
  refusals: view.refusals.map(rejectionJson),
  trials: view.trials.map(rejectionJson),
});

const rejectionJson = (each: NodeView['refusals'][number]) => ({ ...each, digest: formatDigest(each.digest) });
