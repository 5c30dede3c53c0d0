import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { aiHeaders, type BudgetVerdict } from '../../../contracts/index.ts';
import {
  RateLimitResponse_Code as Code,
  type HeaderValueSchema,
  type RateLimitResponse,
  RateLimitResponseSchema,
} from '../../../envoy/index.ts';
import { budgetKey } from './budget-key.ts';
import { type Count, nameOf } from './counts.ts';
import { type Budget, limitOf, windowOf } from './windows.ts';

/** A policy that a request counts for, and what its keeper says. */
export interface Judged extends Count {
  readonly verdict: BudgetVerdict;
}

interface Standing {
  readonly count: Count;
  readonly budget: Budget;
  readonly used: number;
  readonly limit: number;
  readonly isFull: boolean;
  readonly resetsAt: number;
}

/** Answers whether a request may use more, in the headers that clients of OpenAI's API look at. */
export function answerOf(judged: readonly Judged[], now: number): RateLimitResponse {
  const standings = judged.flatMap(({ policy, key, verdict: { used, full } }) =>
    policy.spec.budgets.map((budget, at): Standing => {
      const { end: resetsAt } = windowOf(budget.per, now);
      const isFull = full.includes(at) && policy.spec.onLimit !== 'Shadow';
      return { count: { policy, key }, budget, used: used[at] ?? 0, limit: limitOf(budget), isFull, resetsAt };
    }),
  );
  const [over] = standings.filter(({ isFull }) => isFull).sort((a, b) => retryAt(b, now) - retryAt(a, now));
  const headers = limitHeaders(standings, now);
  if (over) return rejection(over, headers, now);
  const budgets = judged.map((count) => encodeURIComponent(budgetKey(nameOf(count), count.key))).join(',');
  return create(RateLimitResponseSchema, {
    overallCode: Code.OK,
    responseHeadersToAdd: headers,
    requestHeadersToAdd: judged.length > 0 ? [{ key: aiHeaders.budgets, value: budgets }] : [],
  });
}

/** What is left may be held by requests that end soon. */
const isUsedUp = ({ used, limit }: Standing): boolean => used >= limit;
const retryAt = (standing: Standing, now: number): number => (isUsedUp(standing) ? standing.resetsAt : now);

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

function rejection(standing: Standing, headers: readonly Header[], now: number): RateLimitResponse {
  const { budget, count } = standing;
  const seconds = secondsUntil(retryAt(standing, now), now);
  const what =
    budget.unit === 'Cost' ? `$${budget.limit}` : `${budget.limit} ${budget.limit === '1' ? 'token' : 'tokens'}`;
  const which = `the budget of ${what} per ${budget.per.toLowerCase()} (TokenPolicy ${nameOf(count)})`;
  const why = isUsedUp(standing) ? `${which} is used up` : `requests under way hold what is left of ${which}`;
  const message = `${why}: try again in ${seconds} s`;
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
