import { hash } from 'node:crypto';
import {
  limitDescriptor,
  limitHeaders,
  parseBucketId,
  parseSharedBucket,
  rememberedAs,
  type SharedBucket,
} from '../../contracts/index.ts';
import type { Leases } from './leases.ts';
import { LimitCounts } from './limit-counts.ts';
import type { DescriptorEntry, Header, LimitAnswer, LimitDescriptor } from './rls-messages.ts';
import type { Verdict } from './verdict.ts';

/** No control plane says whether the request comes through, and its policy rejects it then. */
export class UnknownLimit extends Error {
  override readonly name = 'UnknownLimit';
}

/** Envoy's for its own limits. */
const rejection = 'local_rate_limited';
/** Texts of buckets that were read; beyond it all are read again. */
const mostRead = 10_000;

/** Decides on requests by their descriptors: a bucket's text, and what requests to it differ by. */
export class LimitJudge {
  readonly counts = new LimitCounts();
  readonly #leases: Pick<Leases, 'ask' | 'charge'>;
  readonly #read = new Map<string, SharedBucket | undefined>();

  constructor(leases: Pick<Leases, 'ask' | 'charge'>) {
    this.#leases = leases;
  }

  /**
   * Buckets are asked one after the other; the first empty one rejects the request, and it counts against none behind. Throws UnknownLimit, also
   * for what is no bucket of ours.
   */
  async judge(descriptors: readonly LimitDescriptor[]): Promise<LimitAnswer> {
    const responseHeaders: Header[] = [];
    const requestHeaders: Header[] = [];
    const keys: Record<string, string> = {};
    for (const { entries, cost } of descriptors) {
      const [first, ...rest] = entries;
      const bucket = this.#bucketOf(first);
      if (bucket.charges !== undefined) {
        this.#leases.charge(bucket, rest[0]?.value ?? '', Math.min(cost, bucket.charges));
        continue;
      }
      const key = digestOf(rest);
      const found = this.#leases.ask(bucket, key, cost);
      const verdict = found instanceof Promise ? await found : found;
      this.#count(bucket, verdict, found === verdict);
      if (verdict.answer === 'unknown' && !bucket.shadow)
        throw new UnknownLimit(`no control plane answers for ${bucket.id}`);
      if (bucket.headers && !bucket.shadow) responseHeaders.push(...stateHeaders(bucket, verdict));
      if (bucket.remembers) keys[rememberedAs(bucket.id, targetIn(rest))] = key;
      if (verdict.answer === 'passed') continue;
      if (bucket.shadow) requestHeaders.push([limitHeaders.shadowed, bucket.id]);
      else
        return {
          isOver: true,
          requestHeaders: [],
          responseHeaders: [...responseHeaders, ...rejected(bucket, verdict)],
          body: rejection,
        };
    }
    const isRemembered = Object.keys(keys).length > 0;
    return { isOver: false, requestHeaders, responseHeaders, ...(isRemembered && { metadata: keys }) };
  }

  #bucketOf(entry: DescriptorEntry | undefined): SharedBucket {
    const value = entry?.key === limitDescriptor.bucket ? entry.value : '';
    if (this.#read.size > mostRead) this.#read.clear();
    if (!this.#read.has(value)) this.#read.set(value, parseSharedBucket(value));
    const bucket = this.#read.get(value);
    if (!bucket) throw new UnknownLimit('a descriptor names no bucket');
    return bucket;
  }

  #count({ id, shadow }: SharedBucket, { answer, alone }: Verdict, isFromLease: boolean): void {
    const outcome = answer === 'over' ? (shadow ? 'shadowed' : 'rejected') : answer;
    this.counts.add(id, outcome);
    if (isFromLease) this.counts.fromLease += 1;
    if (alone) this.counts.alone += 1;
  }
}

/** What requests differ by never leaves the proxy. */
const digestOf = (entries: readonly DescriptorEntry[]): string =>
  hash('sha256', JSON.stringify(entries.map(({ key, value }) => [key, value])), 'base64url').slice(0, 22);

const targetIn = ([first]: readonly DescriptorEntry[]): string | undefined =>
  first?.key === limitDescriptor.target ? first.value : undefined;

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
