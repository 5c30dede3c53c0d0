import type * as ir from '../../ir/index.ts';
import type { ConditionFault } from './condition.ts';
import type { RuleSpec } from './rule-spec.ts';

export type BackendRefSpec = NonNullable<RuleSpec['backendRefs']>[number];

/** Where a backendRef leads, or why it leads nowhere. `host` is what it is called outside, where it is. */
export type ResolvedBackend =
  | {
      readonly key: string;
      readonly host?: string;
      /** Other backends that requests get to by way of this one. */
      readonly uses?: readonly string[];
    }
  | { readonly fault: ConditionFault };

/** Who refers to a backend, and how its proxies speak to backends. */
export interface BackendUser {
  /** Of its kind, for ReferenceGrants. Default: the Gateway API's. */
  readonly group?: string;
  readonly kind: string;
  readonly namespace: string;
  readonly variant?: ir.BackendVariant;
  /** The rule of a route that the reference is in: it may have backends of its own. */
  readonly rule?: { readonly route: string; readonly index: number };
}

/** What a backend key stands for now. */
export interface BackendContent {
  readonly backend: ir.Backend;
  readonly endpoints: ir.Endpoints;
}
