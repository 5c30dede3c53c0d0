import type { AccessPlace, GuardedListener, StatusContext, TrafficLookup } from '../../graph/engine/index.ts';
import { describeOwner, type Observed } from '../../graph/model/index.ts';
import { isListenerOwner, listenersAt, routeTargetKey } from '../policies/index.ts';
import type { GroupName, Policy } from './groups/index.ts';

type Lookup = Pick<TrafficLookup, 'gateways' | 'routes'>;

const nextSteps = {
  tracing: 'without tracing there: set it in a ListenerPolicy, or leave this group out',
  noLog: 'without an access log there: enable it in a ListenerPolicy or the DataPlane, with byRoute: true',
  ofAll: 'whose access log has no byRoute: set byRoute: true in the ListenerPolicy or DataPlane that has the log',
} as const;

/** Why a group does nothing at a listener; undefined: it does. */
function whyNot(
  group: GroupName,
  { spec }: Policy,
  { traces, logs }: Observed,
): (typeof nextSteps)[keyof typeof nextSteps] | undefined {
  if (group === 'tracing') return spec.tracing && !traces ? nextSteps.tracing : undefined;
  if (group !== 'accessLog' || !spec.accessLog || logs === 'byRoute') return undefined;
  if (logs === 'all') return nextSteps.ofAll;
  return spec.accessLog.enabled ? nextSteps.noLog : undefined;
}

const maxNamed = 8;

/** `listeners http, https of Gateway infra/edge` */
function describe(listeners: readonly GuardedListener[]): string {
  const owners = Map.groupBy(listeners.slice(0, maxNamed), ({ owner }) => describeOwner(owner));
  const named = [...owners].map(([owner, some]) => `${some.map(({ name }) => name).join(', ')} of ${owner}`);
  const rest = listeners.length > maxNamed ? [`${listeners.length - maxNamed} more`] : [];
  return `listener${listeners.length > 1 ? 's' : ''} ${[...named, ...rest].join(' and ')}`;
}

/** At which listeners a place has a group that does nothing, and what to change there; and whether that is all of them. */
export function unobservedAt(
  group: GroupName,
  policy: Policy,
  place: AccessPlace,
  lookup: Lookup,
): { readonly notes: readonly string[]; readonly all: boolean } {
  if (group !== 'tracing' && group !== 'accessLog') return { notes: [], all: false };
  const { gateway = '' } = place;
  const seen = listenersAt(place, lookup).flatMap((listener) => {
    const observed = lookup.gateways.observedAt(gateway, listener);
    return observed ? [{ listener, why: whyNot(group, policy, observed) }] : [];
  });
  const idle = Map.groupBy(
    seen.filter(({ why }) => why !== undefined),
    ({ why }) => why,
  );
  return {
    notes: [...idle].map(
      ([why, some]) => `${group} does nothing at ${describe(some.map(({ listener }) => listener))}, ${why}`,
    ),
    all: seen.length > 0 && seen.every(({ why }) => why !== undefined),
  };
}

/** The same of all targets of a policy at a Gateway. */
export function unobservedNotes(policy: Policy, gateway: string, context: StatusContext): readonly string[] {
  const namespace = policy.metadata.namespace ?? '';
  const notes = policy.spec.targetRefs.flatMap(({ kind, name, sectionName }) => {
    const place: AccessPlace = isListenerOwner(kind)
      ? ownersPlace({ kind, namespace, name }, gateway, sectionName)
      : { gateway, route: routeTargetKey(kind, `${namespace}/${name}`) };
    return (['tracing', 'accessLog'] as const).flatMap((group) => unobservedAt(group, policy, place, context).notes);
  });
  return [...new Set(notes)];
}

/** A policy of all of a Gateway is for its ListenerSets too. */
const ownersPlace = (owner: GuardedListener['owner'], gateway: string, name: string | undefined): AccessPlace =>
  owner.kind === 'Gateway' && name === undefined ? { gateway } : { gateway, listener: { owner, name } };
