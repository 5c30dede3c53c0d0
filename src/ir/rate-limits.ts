import type { TableLevel } from './access.ts';
import type { Cidr } from './clients.ts';
import type { NamedMatch, PathMatch } from './route-match.ts';

/** Where requests count: before it is known who a client is, or afterwards. */
export const limitPhases = ['beforeAuth', 'afterAuth'] as const;
export type LimitPhase = (typeof limitPhases)[number];

/** What a request may get that is rejected. */
export const limitStatuses = [403, 429, 503] as const;

/** What requests count against. A request comes through if none of the buckets that match it is empty. */
export interface LimitBucket {
  /** `NAMESPACE/POLICY/BUCKET`, for metrics and access logs. */
  readonly id: string;
  readonly phase: LimitPhase;
  /** Undefined: every request. */
  readonly match?: LimitMatch;
  /** Requests that differ in one of them have buckets of their own. Empty: all have one together. At most 4. */
  readonly key: readonly LimitKey[];
  /** Requests that lack a part of the key are not counted. Else they share a bucket. */
  readonly exempt?: true;
  /** At least one, all of which hold; none with `concurrent`, nor with `service`, which knows them. */
  readonly limits: readonly RateLimit[];
  /** How many requests may be under way at once at one proxy. There is no `match` then, and no cost. */
  readonly concurrent?: number;
  /** Undefined: each takes one. */
  readonly cost?: LimitCost;
  /** What a request takes besides when its response has ended; with `shared`. */
  readonly responseCost?: ResponseCost;
  /**
   * All proxies of a fleet count together, else each by itself. What happens to requests while their count is not known: each proxy goes on with
   * its part of the limit, or they are rejected.
   */
  readonly shared?: 'ownPart' | 'reject';
  /** With `shared`: its policy has several targets, each of which has a bucket of its own. */
  readonly byTarget?: true;
  /** It counts, and neither proxies nor control planes do. Of one level and phase, all buckets with one have the same. */
  readonly service?: LimitServer;
  /** With `service`: what descriptors begin with, at least one. */
  readonly descriptor?: readonly LimitEntry[];
  /** Nothing is rejected. */
  readonly shadow?: true;
  /** Of a request that is rejected: 403, 429 or 503. */
  readonly status: number;
  /** Answers say how much is left. */
  readonly headers?: 'xRateLimit' | 'rateLimit';
}

/** A ratelimit service, and what it is asked for. Source: envoy.service.ratelimit.v3. */
export interface LimitServer {
  /** Key of an ir.Backend; undefined: the reference is invalid, and it counts as a service that does not answer. */
  readonly backend?: string;
  readonly authority: string;
  readonly domain: string;
  readonly timeoutMs: number;
  /** Requests come through while it does not answer, else they are answered 503. */
  readonly failOpen: boolean;
}

/** Keys of the backends that are asked for buckets. */
export const limitBackends = (buckets: readonly LimitBucket[] = []): string[] => [
  ...new Set(buckets.flatMap(({ service }) => service?.backend ?? [])),
];

/** Of a descriptor. */
export interface LimitEntry {
  readonly key: string;
  readonly value: string;
}

/** How many requests one of them counts for; no more than a bucket holds at once. */
export type LimitCost =
  /** 0: a request comes through while something is left, and takes nothing. */
  | { readonly kind: 'fixed'; readonly requests: number }
  /** As the header says, but at most `most`; `otherwise` without it, or if it is no whole number of at least one. */
  | { readonly kind: 'header'; readonly name: string; readonly otherwise: number; readonly most: number };

/** As a header of the backend's response says, but at most `most`; nothing without it. Its name is in lower case. */
export interface ResponseCost {
  readonly name: string;
  readonly most: number;
}

/** In the long run `requests` in each window of `perMs`, and no more than `burst` at once. */
export interface RateLimit {
  readonly requests: number;
  readonly perMs: number;
  readonly burst: number;
}

/** All that is there must hold. */
export interface LimitMatch {
  readonly methods?: readonly string[];
  /** `exact` or `prefix`. Parameters of segments make no difference. */
  readonly path?: PathMatch;
  /** Names in lower case. */
  readonly headers?: readonly (NamedMatch | NamedPresence)[];
  readonly queryParams?: readonly (NamedMatch | NamedPresence)[];
  /** Any of these networks. */
  readonly include?: readonly Cidr[];
  /** None of these networks. */
  readonly exclude?: readonly Cidr[];
}

/** How many entries of a descriptor are about what is compared. */
export const comparisonsOf = ({ methods, path, headers, queryParams, include, exclude }: LimitMatch): number =>
  [methods ?? path ?? headers, queryParams, include, exclude].filter((each) => each !== undefined).length;

/** It is there, with whatever value. */
export interface NamedPresence {
  readonly name: string;
  readonly match?: undefined;
}

export type LimitKey =
  | { readonly kind: 'clientIP'; readonly v4Prefix: number; readonly v6Prefix: number }
  | ({ readonly kind: 'header' | 'cookie' | 'query'; readonly name: string } & EntryName)
  | ({ readonly kind: 'method' | 'path' | 'host' | 'route' | 'identity' } & EntryName);

/** Whether one of them counts by whose a request is, as access policies have verified it. */
export const countByIdentity = (buckets: readonly LimitBucket[]): boolean =>
  buckets.some(({ key }) => key.some(({ kind }) => kind === 'identity'));

/** With LimitBucket.service: how the entry is called in descriptors. */
interface EntryName {
  readonly entry?: string;
}

/** What policies of one target say, or of one rule of it. */
export interface TargetLimits {
  /** `KIND/NAMESPACE/NAME`, of a rule with `/RULE`: what counts together. */
  readonly target: string;
  /** At least one, no id twice. */
  readonly buckets: readonly LimitBucket[];
}

/** Of a route, beside what its table has for all requests. */
export interface RouteLimits {
  readonly route?: TargetLimits;
  readonly rule?: TargetLimits;
}

/** What one level above routes says. */
export interface ListenerLimits {
  readonly level: TableLevel;
  /** As of TargetLimits; of a listener with `/LISTENER`. */
  readonly target: string;
  readonly buckets: readonly LimitBucket[];
}

/** The same, in a route table. */
export interface TableLevelLimits extends ListenerLimits {
  /** Those of the listeners that it is for, sorted; undefined: it is for all requests of the table. */
  readonly hostnames?: readonly string[];
}

/** What requests meet that are looked up in a route table, whatever their route. */
export interface TableLimits {
  /** At least one, the outermost level first. */
  readonly levels: readonly TableLevelLimits[];
  /** Those of all listeners of the table, sorted; there if some of the levels are for a part of them. */
  readonly hostnames?: readonly string[];
}
