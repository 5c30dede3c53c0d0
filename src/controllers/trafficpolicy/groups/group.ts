import type { ObjectByKind } from '../../../gateway-api/index.ts';
import type * as ir from '../../../ir/index.ts';

export type Policy = ObjectByKind['TrafficPolicy'];
export type Spec = Policy['spec'];

/** A top-level member of a policy that is taken whole. */
export type GroupName = NonNullable<Spec['disabled']>[number];

export type GroupSpec<G extends GroupName> = NonNullable<Spec[G]>;

/** A group that is fields of Envoy's routes, and costs a request nothing. */
export interface RuleGroup<G extends GroupName> {
  readonly settingsOf: (spec: GroupSpec<G>) => ir.RuleSettings;
}
