import { limitHeaders, parseBucketId, type SharedBucket } from '../../contracts/index.ts';
import type { Leases } from './leases.ts';
import { LimitCounts } from './limit-counts.ts';
import type { LimitStep } from './limit-steps.ts';
import type { Header, LimitAnswer } from './rls-messages.ts';
import type { Verdict } from './verdict.ts';

/** No control plane says whether the request comes through, and its policy rejects it then. */
export class UnknownLimit extends Error {
  override readonly name = 'UnknownLimit';
}

/** Envoy's for its own limits. */
const rejection = 'local_rate_limited';

/** What is known of a question while its buckets are asked. */
interface Judging {
  readonly steps: readonly LimitStep[];
  readonly responseHeaders: Header[];
  readonly requestHeaders: Header[];
  readonly keys: Record<string, string>;
}

/** Decides on requests by what they ask of buckets. */
export class LimitJudge {
  readonly counts = new LimitCounts();
  readonly #leases: Pick<Leases, 'ask' | 'charge'>;

  constructor(leases: Pick<Leases, 'ask' | 'charge'>) {
    this.#leases = leases;
  }

  /**
   * Buckets are asked one after the other; the first empty one rejects the request, and it counts against none behind. At once, where leases decide.
   * Throws UnknownLimit, also for what is no bucket of ours, or rejects with it.
   */
  judge(steps: readonly LimitStep[]): LimitAnswer | Promise<LimitAnswer> {
    return this.#judgeFrom(0, { steps, responseHeaders: [], requestHeaders: [], keys: {} });
  }

  #judgeFrom(start: number, judging: Judging): LimitAnswer | Promise<LimitAnswer> {
    for (let at = start; at < judging.steps.length; at += 1) {
      const { bucket, key, cost, remembered } = judging.steps[at]!;
      if (!bucket) throw new UnknownLimit('a descriptor names no bucket');
      if (bucket.charges !== undefined) {
        this.#leases.charge(bucket, key, cost);
        continue;
      }
      const found = this.#leases.ask(bucket, key, cost);
      if (remembered !== undefined) judging.keys[remembered] = key;
      if (found instanceof Promise)
        return found.then(
          (verdict) => this.#rejection(judging, bucket, verdict, false) ?? this.#judgeFrom(at + 1, judging),
        );
      const answer = this.#rejection(judging, bucket, found, true);
      if (answer) return answer;
    }
    const { requestHeaders, responseHeaders, keys } = judging;
    const isRemembered = Object.keys(keys).length > 0;
    return { isOver: false, requestHeaders, responseHeaders, ...(isRemembered && { metadata: keys }) };
  }

  /** Undefined where the request goes on to the next bucket. */
  #rejection(
    { responseHeaders, requestHeaders }: Judging,
    bucket: SharedBucket,
    verdict: Verdict,
    isFromLease: boolean,
  ): LimitAnswer | undefined {
    this.#count(bucket, verdict, isFromLease);
    if (verdict.answer === 'unknown' && !bucket.shadow)
      throw new UnknownLimit(`no control plane answers for ${bucket.id}`);
    if (bucket.headers && !bucket.shadow) responseHeaders.push(...stateHeaders(bucket, verdict));
    if (verdict.answer === 'passed') return undefined;
    if (bucket.shadow) {
      requestHeaders.push([limitHeaders.shadowed, bucket.id]);
      return undefined;
    }
    return {
      isOver: true,
      requestHeaders: [],
      responseHeaders: [...responseHeaders, ...rejected(bucket, verdict)],
      body: rejection,
    };
  }

  #count({ id, shadow }: SharedBucket, { answer, alone }: Verdict, isFromLease: boolean): void {
    const outcome = answer === 'over' ? (shadow ? 'shadowed' : 'rejected') : answer;
    this.counts.add(id, outcome);
    if (isFromLease) this.counts.fromLease += 1;
    if (alone) this.counts.alone += 1;
  }
}

const secondsOf = (ms: number): string => String(Math.max(1, Math.ceil(ms / 1000)));

const rejected = ({ id }: SharedBucket, { waitMs }: Verdict): Header[] => [
  [limitHeaders.rejected, id],
  ['retry-after', secondsOf(waitMs)],
];

function stateHeaders(bucket: SharedBucket, { left, waitMs }: Verdict): Header[] {
  const { windows, headers } = bucket;
  if (headers === 'rateLimit') return rateLimitHeaders(bucket, { left, waitMs });
  const most = Math.min(...windows.map(({ burst }) => burst));
  return [
    ['x-ratelimit-limit', String(most)],
    ['x-ratelimit-remaining', String(Math.min(left, most))],
    ['x-ratelimit-reset', secondsOf(waitMs)],
  ];
}

/** Each window is a policy of its own: `"BUCKET"`, then `"BUCKET-2"`. Source: draft-ietf-httpapi-ratelimit-headers-10. */
function rateLimitHeaders({ id, windows }: SharedBucket, { left, waitMs }: Pick<Verdict, 'left' | 'waitMs'>): Header[] {
  const name = parseBucketId(id);
  const policies = windows.map(({ requests, perMs }, at) => {
    // Windows are whole seconds there.
    const window = perMs % 1000 === 0 ? `;w=${perMs / 1000}` : '';
    return `"${name}${at === 0 ? '' : `-${at + 1}`}";q=${requests}${window}`;
  });
  return [
    ['ratelimit-policy', policies.join(', ')],
    ['ratelimit', `"${name}";r=${left};t=${Math.ceil(waitMs / 1000)}`],
  ];
}
