import type { TrafficHolding } from '../../graph/index.ts';
import { nameOf } from '../access/judged.ts';
import type { Placed } from '../policy-places/places.ts';
import { type TrafficPolicyEntry, trafficPolicyKind } from './record.ts';

/** What a policy says of a group at a place. */
export const trafficEntry = ({
  place,
  holding: { kind, level, group, policy, state, by, value, message },
}: Placed<TrafficHolding>): TrafficPolicyEntry => ({
  ...place,
  kind: trafficPolicyKind.parse(kind),
  level,
  group,
  policy: nameOf(policy),
  state,
  by: by === undefined ? null : nameOf(by),
  value: value ?? null,
  message: message ?? null,
});
