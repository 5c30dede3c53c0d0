import type * as z from 'zod';
import type * as ir from '../../ir/index.ts';
import type { StoredObjects } from '../engine/index.ts';
import type { BackendRefSpec, ConditionFault, FilterSpec, ResolvedBackend } from '../model/index.ts';

export type FilterType = FilterSpec['type'];
export type RedirectSpec = NonNullable<FilterSpec['requestRedirect']>;
export type RewriteSpec = NonNullable<FilterSpec['urlRewrite']>;

/** A backend that a filter refers to. */
export interface FilterReference {
  readonly backendRef: Pick<BackendRefSpec, 'group' | 'kind' | 'name' | 'namespace' | 'port'>;
  /** Whether requests to it use HTTP/2. Undefined: as requests of the route do. */
  readonly http2?: boolean;
}

/** What the filters of a rule, or of one backendRef, come to. */
export interface ResolvedFilters {
  readonly filters?: ir.RouteFilters;
  /** A later filter overrides an earlier one, part by part. */
  readonly rewrite?: RewriteSpec;
  readonly redirect?: RedirectSpec;
  /** Only requests with it are for the rule. */
  readonly cookie?: ir.NamedMatch;
  /** What the rule is for cannot be said: no request is for it. `fault` says why. */
  readonly isForNone?: true;
  /** By filters of our own kind. */
  readonly ownRewrite?: Pick<ir.UrlRewrite, 'hostFrom' | 'forwardsHost' | 'path'>;
  /** In place of `redirect`, by a filter of our own kind. */
  readonly ownRedirect?: {
    readonly redirect: RedirectSpec;
    readonly path: ir.PathRewrite;
    readonly stripQuery?: boolean;
  };
  /** What the proxy answers by itself. */
  readonly answer?: ir.RespondAction;
  /** What filters of our own kind say, each at most once in a rule. */
  readonly members?: readonly string[];
  /** Filters that do not exist, or refer to what does not. */
  readonly referenceFaults?: readonly ConditionFault[];
  /** A filter that is not available: requests that it should have handled must get an error instead. */
  readonly fault?: ConditionFault;
  /** No request may pass: a server that authorizes them does not exist. */
  readonly denied?: true;
  /** One of them is for whole rules only. */
  readonly ruleOnly?: true;
}

export interface FilterContext {
  /** What the filters before it in the list came to. */
  readonly earlier: ResolvedFilters;
  /** Where its references lead, in their order. */
  readonly targets: readonly ResolvedBackend[];
  /** Of the object that has the filter. */
  readonly namespace: string;
  /** The rule is for gRPC alone. */
  readonly isGrpc: boolean;
  readonly store: StoredObjects;
}

/** What the admin API shows of a filter. */
export interface FilterEffect {
  readonly schema: z.ZodType;
  /** Undefined where there is nothing to show. */
  readonly show: (filters: ir.RouteFilters) => unknown;
}

/** One type of filter: from what users write to what a proxy must do. */
export interface FilterModule {
  /** Its field of ir.RouteFilters. Missing: it decides the action of the rule. */
  readonly key?: keyof ir.RouteFilters;
  /** A backendRef cannot have it. */
  readonly ruleOnly?: true;
  /** It changes nothing for a request that is not forwarded. */
  readonly forwardedOnly?: true;
  /** What in it a proxy would reject, together with everything of the same host. */
  readonly valueFault?: (spec: FilterSpec) => string | undefined;
  readonly references?: (spec: FilterSpec) => readonly FilterReference[];
  /** What it adds to the earlier filters, or replaces of them. */
  readonly resolve: (spec: FilterSpec, context: FilterContext) => ResolvedFilters;
  /** Keys of the backends that it sends requests to. */
  readonly backendsOf?: (filters: ir.RouteFilters) => readonly string[];
  /** Shown under `key`. */
  readonly effect?: FilterEffect;
}
