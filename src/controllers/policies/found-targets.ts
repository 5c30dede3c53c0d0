import { type KubernetesObject, objectKey } from '../../gateway-api/index.ts';
import type { StatusContext } from '../../graph/engine/index.ts';
import { gatewayOfSet } from '../../graph/gateways/index.ts';
import type { ConditionFault, ListenerOwnerObject, RouteObject } from '../../graph/model/index.ts';
import { rulesOf } from '../../graph/routes/index.ts';
import { isListenerOwner } from './listener-targets.ts';
import { type RouteTargetKey, type RouteTargetKind, routeTargetKey } from './route-targets.ts';

interface TargetRef {
  readonly kind: RouteTargetKind;
  readonly name: string;
  /** Of a listener, or of a rule. */
  readonly sectionName?: string;
}

/** A policy as far as its targets go. */
interface TargetingPolicy extends KubernetesObject {
  readonly spec: { readonly targetRefs: readonly TargetRef[] };
}

const keyOfTarget = ({ metadata }: KubernetesObject, { name }: TargetRef): string =>
  objectKey(metadata.namespace ?? '', name);

/** Keys of the Gateways of ours that a policy acts on, each once. */
export const gatewaysOfTargets = (policy: TargetingPolicy, { gateways, routes, store }: StatusContext): string[] => [
  ...new Set(
    policy.spec.targetRefs.flatMap((ref) => {
      const key = keyOfTarget(policy, ref);
      if (!isListenerOwner(ref.kind)) return routes.gatewaysOf(routeTargetKey(ref.kind, key));
      const set = ref.kind === 'ListenerSet' ? store.find('ListenerSet', key) : undefined;
      const gateway = ref.kind === 'Gateway' ? key : set && gatewayOfSet(set);
      return gateway !== undefined && gateways.has(gateway) ? [gateway] : [];
    }),
  ),
];

/** A target that is there, as its policies are found by it. */
export interface FoundTarget {
  readonly target: RouteTargetKey;
  readonly section: string | undefined;
  /** `listener web of Gateway infra/edge` */
  readonly where: string;
}

/** The target of a policy, or why there is none. */
export function findTarget(
  policy: TargetingPolicy,
  ref: TargetRef,
  { store }: Pick<StatusContext, 'store'>,
): FoundTarget | { readonly fault: ConditionFault } {
  const { kind, sectionName } = ref;
  const key = keyOfTarget(policy, ref);
  const object = store.find(kind, key);
  const what = `${kind} ${key}`;
  const notFound = (message: string) => ({ fault: { reason: 'TargetNotFound', message } });
  if (!object) return notFound(`${what} does not exist`);
  const { section, names } = isListenerOwner(kind)
    ? { section: 'listener', names: (object as ListenerOwnerObject).spec.listeners.map(({ name }) => name) }
    : { section: 'rule', names: rulesOf(object as RouteObject).flatMap(({ name }) => name ?? []) };
  if (sectionName !== undefined && !names.includes(sectionName)) {
    return notFound(`${what} has no ${section} named ${sectionName}: it has ${names.join(', ') || 'none with a name'}`);
  }
  const where = sectionName === undefined ? what : `${section} ${sectionName} of ${what}`;
  return { target: routeTargetKey(kind, key), section: sectionName, where };
}
