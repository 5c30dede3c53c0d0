import { objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import type { GuardedListener, StatusContext } from '../../graph/engine/index.ts';
import { listenerSetEdges } from '../../graph/gateways/index.ts';
import { describeOwner, isHttp, type ListenerSpec } from '../../graph/model/index.ts';
import { firstNames } from '../../std/index.ts';
import { isListenerOwner, routeTargetKey } from '../policies/index.ts';
import { namespaceOf, type Policy } from './parts/index.ts';

const mostNamed = 4;

/** The listeners of a Gateway where a policy is in force that do not meet a need. */
export interface NeedyListeners {
  /** `listener web, listener plain and 3 more`; undefined: all of them meet it. */
  readonly lacking?: string;
  readonly isEveryOne: boolean;
}

/** What a policy needs of listeners. */
interface ListenerNeed {
  /** Which are looked at, by the kind of the target. Default: those for requests. */
  readonly counts?: (spec: ListenerSpec, kind: Policy['spec']['targetRefs'][number]['kind']) => boolean;
  readonly meets: (spec: ListenerSpec) => boolean;
}

export function listenersLacking(
  policy: Policy,
  gateway: string,
  context: StatusContext,
  { counts = isHttp, meets }: ListenerNeed,
): NeedyListeners {
  const known = new Map(
    policy.spec.targetRefs.flatMap((ref) =>
      listenersOf(policy, ref, gateway, context).flatMap((listener) => {
        const spec = specOf(listener, context);
        return spec && counts(spec, ref.kind) ? [[nameOf(listener), meets(spec)] as const] : [];
      }),
    ),
  );
  const silent = [...known].flatMap(([name, isMet]) => (isMet ? [] : [name]));
  return {
    ...(silent.length > 0 && { lacking: firstNames(silent, mostNamed) }),
    isEveryOne: silent.length > 0 && silent.length === known.size,
  };
}

/** Those that a target stands for. */
function listenersOf(
  policy: Policy,
  { kind, name, sectionName }: Policy['spec']['targetRefs'][number],
  gateway: string,
  { routes, store, edges }: StatusContext,
): readonly GuardedListener[] {
  const key = objectKey(namespaceOf(policy), name);
  if (!isListenerOwner(kind)) return routes.listenersOf(routeTargetKey(kind, key), gateway);
  const isWhole = kind === 'Gateway' && sectionName === undefined;
  // In an order that does not depend on which came first.
  const sets = isWhole ? [...edges.of(listenerSetEdges.gateway).sourcesOf(gateway)].sort() : [];
  return [{ kind, key }, ...sets.map((set) => ({ kind: 'ListenerSet' as const, key: set }))].flatMap((owner) =>
    (store.find(owner.kind, owner.key)?.spec.listeners ?? [])
      .filter((listener) => sectionName === undefined || listener.name === sectionName)
      .map((listener) => ({ owner: { kind: owner.kind, ...parseObjectKey(owner.key) }, name: listener.name })),
  );
}

const specOf = ({ owner, name }: GuardedListener, { store }: StatusContext): ListenerSpec | undefined =>
  store
    .find(owner.kind, objectKey(owner.namespace, owner.name))
    ?.spec.listeners.find((listener) => listener.name === name);

const nameOf = ({ owner, name }: GuardedListener): string =>
  owner.kind === 'Gateway' ? `listener ${name}` : `listener ${name} of ${describeOwner(owner)}`;
