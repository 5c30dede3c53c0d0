import type { AccessPlace, GraphView } from '../../graph/index.ts';
import { nameOf } from '../access/judged.ts';
import type { HeldGroup } from './record.ts';

/** What holds for requests at a place, group by group. What a rule says by itself of retries and timeouts is not looked at. */
export function heldGroups(graph: GraphView, place: AccessPlace): HeldGroup[] {
  const holdings = graph.trafficAt(place);
  return holdings.flatMap(({ group, level, policy, state, value }) => {
    if (state !== 'inForce' && state !== 'disabled') return [];
    const others = holdings.filter((other) => other.group === group && other.policy !== policy);
    return [
      {
        group,
        value: value ?? null,
        from: { kind: 'TrafficPolicy', ...nameOf(policy), level },
        overrides: [...new Set(others.map((other) => other.policy))].map(nameOf),
      },
    ];
  });
}
