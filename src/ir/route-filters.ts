import type { RouteAccess } from './access.ts';
import type { ExternalAuth } from './external-auth.ts';
import type { HeaderEdits } from './header-edits.ts';
import type { RouteLimits } from './rate-limits.ts';
import type { ValueMatch } from './route-match.ts';
import type { RouteTraffic } from './traffic.ts';

/**
 * What filters do to the requests of a rule, or of one of its backends, and to the answers. A filter that does nothing is
 * not there. `graph` makes the fields in the order of its list of filters, since digests are made of them. What decides
 * the action itself, a redirect or a rewrite, is no part of it.
 */
export interface RouteFilters {
  readonly requestHeaders?: HeaderChanges;
  readonly responseHeaders?: HeaderChanges;
  /** For forwarded requests. */
  readonly mirrors?: readonly Mirror[];
  /** For whole rules. */
  readonly cors?: Cors;
  /** Of policies: what requests must show, beside what the table demands of all. */
  readonly access?: RouteAccess;
  /** Asked one after the other, after preflight requests were answered and before all else. */
  readonly externalAuth?: readonly ExternalAuth[];
  /** Of policies: what requests count against, beside what they do in all of the table. */
  readonly limits?: RouteLimits;
  /** Of policies: in place of what the table does. */
  readonly traffic?: RouteTraffic;
  /** For whole rules. Beside `requestHeaders` and `responseHeaders`, which come after it on the way to the backend and before it on the way back. */
  readonly headerEdits?: HeaderEdits;
}

export interface Header {
  readonly name: string;
  readonly value: string;
}

/** Removed first, then set (replacing all values), then added (beside the present values). */
export interface HeaderChanges {
  readonly set: readonly Header[];
  readonly add: readonly Header[];
  readonly remove: readonly string[];
}

/** A copy of requests for another backend, whose answers are dropped. */
export interface Mirror {
  /** Key of an ir.Backend. */
  readonly backend: string;
  /** How many of a million requests are copied: 0 to 1,000,000. */
  readonly perMillion: number;
}

/** Which other origins' scripts may use the answers. Answers preflight requests by itself. */
export interface Cors {
  /** Compared with the whole Origin header. */
  readonly origins: readonly ValueMatch[];
  /** `*` stands for every method; so it does below for every header. */
  readonly methods: readonly string[];
  readonly requestHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly credentials: boolean;
  readonly maxAgeSeconds: number;
}
