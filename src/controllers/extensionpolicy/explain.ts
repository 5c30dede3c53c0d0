import { keyOf } from '../../gateway-api/index.ts';
import type { AccessPlace, GuardedListener, TrafficHolding, TrafficLookup } from '../../graph/engine/index.ts';
import * as ir from '../../ir/index.ts';
import { placeTargets } from '../policies/index.ts';
import { extensionName, extensionOf, mayBeMissing } from './extension.ts';
import type { Policy } from './policy.ts';
import { actingAt, policiesAt } from './row.ts';

/** Which extensions a place has, and which of them act there: the outermost level first. */
export function holdingsAt(place: AccessPlace, lookup: TrafficLookup): readonly TrafficHolding[] {
  const rows = listenersOf(place, lookup).map((listener) =>
    actingAt(
      place.gateway ?? '',
      listener,
      place.route === undefined ? undefined : { ...place, route: place.route, rule: place.rule },
      lookup,
    ),
  );
  const [first] = rows;
  const found = new Map<Policy, ir.AccessLevel>();
  for (const level of ir.accessLevels)
    for (const { target, section } of placeTargets[level](place, lookup))
      for (const policy of policiesAt(target, section, lookup)) if (!found.has(policy)) found.set(policy, level);
  return [...found].map(([policy, level]) => {
    const common = {
      kind: 'ExtensionPolicy',
      level,
      group: extensionName(policy),
      policy: keyOf(policy),
      value: policy.spec[extensionName(policy)],
    } as const;
    if (first && !rows.some((row) => row.includes(policy))) {
      const last = first.at(-1);
      return { ...common, state: mayBeMissing(policy) ? 'leftOut' : 'closed', ...(last && { by: keyOf(last) }) };
    }
    const { value } = extensionOf(policy, undefined, lookup.store);
    return { ...common, state: value ? 'inForce' : mayBeMissing(policy) ? 'leftOut' : 'closed' };
  });
}

/** Those that requests to the place come by. A place that has none is looked at by itself. */
function listenersOf({ gateway, listener, route }: AccessPlace, { routes }: TrafficLookup): readonly GuardedListener[] {
  if (gateway === undefined) return [];
  if (listener?.name !== undefined) return [{ owner: listener.owner, name: listener.name }];
  return route === undefined ? [] : routes.listenersOf(route, gateway);
}
