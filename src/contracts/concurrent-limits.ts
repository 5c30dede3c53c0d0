/** gRPC method by which Envoy says that a request begins; the stream ends with the request, however that ends. */
export const concurrentPath = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';

/** Cluster of Envoy that leads to the agent, for streams that last as long as requests. */
export const heldService = 'gatewright_held';

/** Metadata of the stream: what the request counts against, as ConcurrentBuckets in JSON. */
export const concurrentMetadata = 'x-gw-concurrent';

/** All that the agent needs to know, so that it needs no table. */
export interface ConcurrentBuckets {
  /** What counts together: TargetLimits.target. */
  readonly target: string;
  readonly buckets: readonly ConcurrentBucket[];
}

export interface ConcurrentBucket {
  /** `NAMESPACE/POLICY/BUCKET` */
  readonly id: string;
  /** Of requests that are rejected: 403, 429 or 503. */
  readonly status: number;
  /** How many requests of one key may be under way. */
  readonly most: number;
  /** Requests that differ in one of them have a count of their own. */
  readonly key: readonly ConcurrentKey[];
  /** Requests that lack a part of the key are not counted. */
  readonly exempt?: boolean;
  /** Nothing is rejected. */
  readonly shadow?: boolean;
}

/** The value of a header; with prefixes it is an address, of which so many bits count. */
export interface ConcurrentKey {
  /** In lower case. */
  readonly header: string;
  readonly v4Prefix?: number;
  readonly v6Prefix?: number;
}

/** Undefined for what is no such text. */
export function parseConcurrentBuckets(text: string): ConcurrentBuckets | undefined {
  try {
    const value = JSON.parse(text) as Partial<ConcurrentBuckets> | null;
    return typeof value?.target === 'string' && Array.isArray(value.buckets) ? (value as ConcurrentBuckets) : undefined;
  } catch {
    return undefined;
  }
}
