import type { ReferenceLookup } from '../../graph/engine/index.ts';
import { routePoliciesOf } from '../policies/index.ts';
import { type GroupName, groupNames, type Policy, saysGroup } from './groups/index.ts';
import { trafficTargets } from './targets.ts';

/** By group: the policy that holds. */
export type Holders = Readonly<Partial<Record<GroupName, Policy>>>;

/** Of one target each group is the oldest policy's that says something of it. `policies`: the oldest first. */
export const holdersAmong = (policies: readonly Policy[]): Holders =>
  Object.fromEntries(
    groupNames.flatMap((group) => {
      const holder = policies.find(({ spec }) => saysGroup(spec, group));
      return holder ? [[group, holder]] : [];
    }),
  );

export const holdersAt = (target: string, section: string | undefined, lookup: ReferenceLookup): Holders =>
  holdersAmong(routePoliciesOf(trafficTargets, target, section, lookup));

export const isOverride = ({ spec }: Policy): boolean => spec.mode === 'Override';

/** Of several levels, the outermost first: the outermost one in mode Override holds, else the innermost. Source: GEP-713. */
export const combine = (levels: readonly Holders[]): Holders =>
  Object.fromEntries(
    groupNames.flatMap((group) => {
      const found = levels.flatMap((holders) => holders[group] ?? []);
      const holder = found.find(isOverride) ?? found.at(-1);
      return holder ? [[group, holder]] : [];
    }),
  );
