import type { ObjectByKind } from '../../gateway-api/index.ts';

/** A rule of an HTTPRoute; of a GRPCRoute what both kinds have. */
export type RuleSpec = NonNullable<NonNullable<ObjectByKind['HTTPRoute']['spec']>['rules']>[number];

/** A filter as users write it, of a rule or of one backendRef. */
export type FilterSpec = NonNullable<RuleSpec['filters']>[number];
