import { createHash } from 'node:crypto';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { aiHeaders, budgetDescriptor } from '../../contracts/index.ts';
import {
  RateLimitResponse_Code as Code,
  type HeaderValueSchema,
  type RateLimitRequest,
  type RateLimitResponse,
  RateLimitResponseSchema,
} from '../../envoy/index.ts';
import { keyOf, type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import { budgetKey } from './budget-key.ts';
import { micro } from './prices.ts';

type Policy = ObjectByKind['TokenPolicy'];
type Budget = Policy['spec']['budgets'][number];
export type Per = Budget['per'];

export const periods: readonly Per[] = ['Minute', 'Hour', 'Day', 'Month'];

/** When the window began that a time is in, and when it ends. Windows are those of UTC. */
export function windowOf(per: Per, now: number): { readonly start: number; readonly end: number } {
  if (per === 'Month') {
    const date = new Date(now);
    const of = (month: number) => Date.UTC(date.getUTCFullYear(), month, 1);
    return { start: of(date.getUTCMonth()), end: of(date.getUTCMonth() + 1) };
  }
  const length = { Minute: 60_000, Hour: 3_600_000, Day: 86_400_000 }[per];
  const start = Math.floor(now / length) * length;
  return { start, end: start + length };
}

/** Its limit, in tokens or nano-dollars. */
export const limitOf = ({ unit, limit }: Budget): number =>
  unit === 'Cost' ? Number(micro(limit) * 1000n) : Number(limit);

/** What is known of a request before it is answered. */
interface Asked {
  readonly route: string;
  readonly service: string;
  readonly model: string;
  readonly headers: ReadonlyMap<string, string>;
}

function askedOf({ descriptors }: RateLimitRequest): Asked {
  const entries = new Map(
    descriptors.flatMap(({ entries: list }) => list.map(({ key, value }) => [key, value] as const)),
  );
  const headers = [...entries].flatMap(([key, value]) =>
    key.startsWith(budgetDescriptor.header) ? [[key.slice(budgetDescriptor.header.length), value] as const] : [],
  );
  return {
    route: entries.get(budgetDescriptor.route) ?? '',
    service: entries.get(budgetDescriptor.service) ?? '',
    model: entries.get(budgetDescriptor.model) ?? '',
    headers: new Map(headers),
  };
}

/** Names of headers whose values must not appear in a report. */
const secretHeaders: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'api-key', 'cookie']);

/** What a budget is kept by. Values that open doors are named by their digest. */
function countedBy({ spec: { key } }: Policy, { route, model, headers }: Asked): string {
  switch (key?.type) {
    case 'Header': {
      const value = headers.get(key.header ?? '') ?? '';
      return secretHeaders.has(key.header ?? '') ? digestOf(value) : value.slice(0, 128);
    }
    case 'JWTClaim':
      return claimOf(headers.get('authorization') ?? '', key.claim ?? '').slice(0, 128);
    case 'Model':
      return model;
    default:
      return route;
  }
}

const digestOf = (value: string): string =>
  value === '' ? '' : `sha256:${createHash('sha256').update(value).digest('hex').slice(0, 16)}`;

/** Of a token whose signature is for others to check. Empty where there is none. */
function claimOf(authorization: string, claim: string): string {
  try {
    const [, payload = ''] = authorization.replace(/^Bearer +/i, '').split('.');
    const value = (JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>)[claim];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  } catch {
    return '';
  }
}

/** What was used of a budget in the window that began then, by all that count. */
export type UsedOf = (
  policy: string,
  key: string,
  per: Per,
  start: number,
) => { readonly tokens: number; readonly cost: number };

export const nothingUsed = { tokens: 0, cost: 0 };

interface Standing {
  readonly policy: Policy;
  readonly budget: Budget;
  readonly used: number;
  readonly limit: number;
  readonly resetsAt: number;
}

/** Answers whether a request may use more, in the headers that clients of OpenAI's API look at. */
export function judge(request: RateLimitRequest, graph: GraphView, usedOf: UsedOf, now: number): RateLimitResponse {
  const asked = askedOf(request);
  const policies = policiesFor(asked, graph).map((policy) => ({ policy, key: countedBy(policy, asked) }));
  const standings = policies.flatMap(({ policy, key }) =>
    policy.spec.budgets.map((budget): Standing => {
      const { start, end } = windowOf(budget.per, now);
      const { tokens, cost } = usedOf(keyOf(policy), key, budget.per, start);
      return { policy, budget, used: budget.unit === 'Cost' ? cost : tokens, limit: limitOf(budget), resetsAt: end };
    }),
  );
  const over = standings
    .filter(({ policy, used, limit }) => used >= limit && policy.spec.onLimit !== 'Shadow')
    .sort((a, b) => b.resetsAt - a.resetsAt)[0];
  const headers = limitHeaders(standings, now);
  if (over) return rejection(over, headers, now);
  const budgets = policies.map(({ policy, key }) => encodeURIComponent(budgetKey(keyOf(policy), key))).join(',');
  return create(RateLimitResponseSchema, {
    overallCode: Code.OK,
    responseHeadersToAdd: headers,
    requestHeadersToAdd: policies.length > 0 ? [{ key: aiHeaders.budgets, value: budgets }] : [],
  });
}

const policiesFor = ({ route, service }: Asked, graph: GraphView): Policy[] =>
  [...graph.list('TokenPolicy')].filter(({ metadata, spec }) =>
    spec.targetRefs.some(({ kind, name }) => {
      const key = objectKey(metadata.namespace ?? '', name);
      return kind === 'HTTPRoute' ? route === `httproute/${key}` : service === key;
    }),
  );

type Header = MessageInitShape<typeof HeaderValueSchema>;

/** The tightest budget of tokens. Source: OpenAI, Rate limits in headers. */
function limitHeaders(standings: readonly Standing[], now: number): Header[] {
  const [tightest] = standings
    .filter(({ budget }) => budget.unit === 'Tokens')
    .sort((a, b) => a.limit - a.used - (b.limit - b.used));
  if (!tightest) return [];
  const { limit, used, resetsAt } = tightest;
  return [
    { key: 'x-ratelimit-limit-tokens', value: String(limit) },
    { key: 'x-ratelimit-remaining-tokens', value: String(Math.max(0, limit - used)) },
    { key: 'x-ratelimit-reset-tokens', value: `${secondsUntil(resetsAt, now)}s` },
  ];
}

const secondsUntil = (at: number, now: number): number => Math.max(1, Math.ceil((at - now) / 1000));

function rejection({ policy, budget, resetsAt }: Standing, headers: readonly Header[], now: number): RateLimitResponse {
  const seconds = secondsUntil(resetsAt, now);
  const what =
    budget.unit === 'Cost' ? `$${budget.limit}` : `${budget.limit} ${budget.limit === '1' ? 'token' : 'tokens'}`;
  const message = `the budget of ${what} per ${budget.per.toLowerCase()} (TokenPolicy ${keyOf(policy)}) is used up: try again in ${seconds} s`;
  const error = { message, type: 'tokens', param: null, code: 'rate_limit_exceeded' };
  return create(RateLimitResponseSchema, {
    overallCode: Code.OVER_LIMIT,
    rawBody: Buffer.from(JSON.stringify({ error })),
    responseHeadersToAdd: [
      ...headers,
      { key: 'retry-after', value: String(seconds) },
      { key: 'content-type', value: 'application/json' },
    ],
  });
}
