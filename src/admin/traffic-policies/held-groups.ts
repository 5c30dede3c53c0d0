import { type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import type { AccessPlace, GraphView, TrafficHolding } from '../../graph/index.ts';
import * as ir from '../../ir/index.ts';
import { nameOf } from '../access/judged.ts';
import type { HeldGroup } from './record.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a rule says by itself of what policies say as well. */
interface OwnSettings {
  readonly from: HeldGroup['from'];
  readonly retry: Fields | undefined;
  readonly timeouts: Fields | undefined;
}

/** What holds for requests at a place, group by group. `route`: the id of the ir.Route that they take. */
export function heldGroups(graph: GraphView, place: AccessPlace, route: string): HeldGroup[] {
  const holdings = graph.trafficAt(place);
  const own = ownSettings(graph, route);
  return holdings.flatMap((holding) => {
    const { kind, group, level, policy, state, value } = holding;
    if (state !== 'inForce' && state !== 'disabled' && state !== 'closed') return [];
    // Extensions add up.
    const others =
      kind === 'ExtensionPolicy' ? [] : holdings.filter((other) => other.group === group && other.policy !== policy);
    const held = {
      group,
      value: value ?? null,
      from: { kind, ...nameOf(policy), level },
      overrides: [...new Set(others.map((other) => other.policy))].map(nameOf),
    };
    return own && kind === 'TrafficPolicy' && !isOverride(graph, holding) ? withOwn(held, own, nameOf(policy)) : held;
  });
}

const isOverride = (graph: GraphView, { policy }: TrafficHolding): boolean =>
  graph.find('TrafficPolicy', policy)?.spec.mode === 'Override';

/** Of the rule of an HTTPRoute; rules of other kinds have no such fields. */
function ownSettings(graph: GraphView, id: string): OwnSettings | undefined {
  const { kind, namespace, name, rule: index } = ir.parseRouteId(id);
  const route: ObjectByKind['HTTPRoute'] | undefined =
    kind === 'httproute' ? graph.find('HTTPRoute', objectKey(namespace, name)) : undefined;
  const rule = route?.spec.rules?.[index] as { readonly retry?: Fields; readonly timeouts?: Fields } | undefined;
  if (!rule?.retry && !rule?.timeouts) return undefined;
  const from = { kind: 'HTTPRoute', namespace, name, level: 'rule' } as const;
  return { from, retry: rule.retry, timeouts: rule.timeouts };
}

/** A rule's own `retry` stands for all of the group, its `timeouts` field by field. `policy`: who would say it else. */
function withOwn(held: HeldGroup, own: OwnSettings, policy: HeldGroup['overrides'][number]): HeldGroup {
  const overrides = [...held.overrides, policy];
  if (held.group === 'retry') {
    if (own.retry) return { ...held, value: own.retry, from: own.from, overrides };
    if (own.timeouts?.backendRequest === undefined || held.value === null) return held;
    const { perTry: _, ...others } = held.value as Fields;
    return { ...held, value: others };
  }
  const request = own.timeouts?.request;
  if (held.group !== 'timeouts' || request === undefined) return held;
  const { request: _, ...others } = (held.value ?? {}) as Fields;
  if (Object.keys(others).length === 0) return { ...held, value: { request }, from: own.from, overrides };
  return { ...held, value: { request, ...others } };
}
