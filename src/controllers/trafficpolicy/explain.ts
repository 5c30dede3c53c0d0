import { keyOf } from '../../gateway-api/index.ts';
import type { AccessPlace, TrafficHolding, TrafficLookup } from '../../graph/engine/index.ts';
import * as ir from '../../ir/index.ts';
import { isAnsweredAt, placeTargets, routePoliciesOf } from '../policies/index.ts';
import { contentsOf, type GroupName, groupNames, isForBackends, type Policy, saysGroup } from './groups/index.ts';
import { isOverride } from './levels.ts';
import { trafficTargets } from './targets.ts';
import { unobservedAt } from './unobserved.ts';

const answered = 'the proxy answers requests of this rule itself';

interface Said {
  readonly level: ir.AccessLevel;
  readonly policy: Policy;
  /** The older policy of the target that has the group. */
  readonly older: Policy | undefined;
}

/** Which policy says what of each group at a place, and which of them holds there. */
export const holdingsAt = (place: AccessPlace, lookup: TrafficLookup): readonly TrafficHolding[] =>
  groupNames.flatMap((group) => {
    const said = ir.accessLevels.flatMap((level) =>
      placeTargets[level](place, lookup).flatMap(({ target, section }): Said[] => {
        const found = routePoliciesOf(trafficTargets, target, section, lookup).filter(({ spec }) =>
          saysGroup(spec, group),
        );
        return found.map((policy, at) => ({ level, policy, older: at === 0 ? undefined : found[0] }));
      }),
    );
    const first = said.filter(({ older }) => older === undefined);
    const winner = (first.find(({ policy }) => isOverride(policy)) ?? first.at(-1))?.policy;
    return said.map((each) => holding(group, each, winner, { place, lookup }));
  });

function holding(
  group: GroupName,
  { level, policy, older }: Said,
  winner: Policy | undefined,
  { place, lookup }: { readonly place: AccessPlace; readonly lookup: TrafficLookup },
): TrafficHolding {
  const value = policy.spec[group];
  const common = {
    kind: 'TrafficPolicy',
    level,
    group,
    policy: keyOf(policy),
    ...(value !== undefined && { value }),
  } as const;
  if (older) return { ...common, state: 'conflicted', by: keyOf(older) };
  if (winner && winner !== policy) return { ...common, state: 'overridden', by: keyOf(winner) };
  if (value === undefined) return { ...common, state: 'disabled' };
  if (isForBackends(group) && isAnsweredAt(place, lookup.store))
    return { ...common, message: answered, state: 'leftOut' };
  const { notes, all } = unobservedAt(group, policy, place, lookup);
  const message = notes.length > 0 && { message: notes.join('; ') };
  if (all) return { ...common, ...message, state: 'leftOut' };
  const content = contentsOf(policy, lookup.store).find(({ name }) => name === group);
  return { ...common, ...message, state: 'inForce', content };
}
