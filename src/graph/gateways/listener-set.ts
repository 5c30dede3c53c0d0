import { keyOf, type ListenerSetStatus, type ObjectByKind, type ParentReference } from '../../gateway-api/index.ts';
import type { Store } from '../engine/index.ts';
import {
  type ConditionFault,
  conditionOf,
  noteConditions,
  type ResolvedListener,
  type ResolvedListenerSet,
  type TargetNote,
} from '../model/index.ts';
import { listenerStatus } from './listener-status.ts';
import { isNamespaceAllowed } from './namespace-filter.ts';

type ListenerSetObject = ObjectByKind['ListenerSet'];
type GatewayObject = ObjectByKind['Gateway'];

const group = 'gateway.networking.k8s.io';

/** Key of the Gateway that a ListenerSet names; undefined when it names something else. */
export function gatewayOfSet({ metadata, spec }: ListenerSetObject): string | undefined {
  const { group: g = group, kind = 'Gateway', namespace = metadata.namespace, name } = spec.parentRef;
  return g === group && kind === 'Gateway' ? `${namespace}/${name}` : undefined;
}

/** Key of the ListenerSet a route's parentRef names; undefined when it names something else. */
export const setOfParent = (ref: ParentReference, routeNamespace: string): string | undefined =>
  (ref.group ?? group) === group && ref.kind === 'ListenerSet'
    ? `${ref.namespace ?? routeNamespace}/${ref.name}`
    : undefined;

/** Whether the Gateway lets ListenerSets in by the labels of their namespaces. */
export const selectsSetNamespaces = (gateway: GatewayObject): boolean =>
  gateway.spec.allowedListeners?.namespaces?.from === 'Selector';

/** Why the Gateway does not take the ListenerSet. Source: AllowedListeners; a Gateway takes none unless it says so. */
export function notAllowed(gateway: GatewayObject, set: ListenerSetObject, store: Store): ConditionFault | undefined {
  const { from = 'None', selector } = gateway.spec.allowedListeners?.namespaces ?? {};
  const home = gateway.metadata.namespace ?? '';
  const namespace = set.metadata.namespace ?? '';
  if (isNamespaceAllowed({ from, selector }, home, namespace, store)) return undefined;
  const message = `Gateway ${keyOf(gateway)} takes no ListenerSets of namespace ${namespace}: its allowedListeners.namespaces.from is ${from}`;
  return { reason: 'NotAllowed', message };
}

export interface SetCircumstances {
  /** Why nothing of the parent Gateway is accepted, if so. */
  readonly parentFault: ConditionFault | undefined;
  /** Why the parent's proxies do not serve it yet, if so. */
  readonly programmed: ConditionFault | undefined;
  /** What proxies reject of its listeners together, and of each. */
  readonly rejected: ConditionFault | undefined;
  readonly rejectionOf: (listener: ResolvedListener) => ConditionFault | undefined;
  /** By ResolvedListener.id. */
  readonly attachedRoutes: (listener: string) => number;
  /** What it says of policies, and what each of its listeners does. */
  readonly notes: readonly TargetNote[] | undefined;
  readonly notesOf: (listener: ResolvedListener) => readonly TargetNote[] | undefined;
}

/** Whether the Gateway counts the ListenerSet as attached. Source: GatewayStatus.attachedListenerSets. */
export const isAttached = (set: ResolvedListenerSet): boolean => setFault(set, undefined) === undefined;

/** The desired status of the ListenerSet. Source: ListenerSetStatus. */
export function listenerSetStatus(set: ResolvedListenerSet, deps: SetCircumstances): ListenerSetStatus {
  const generation = set.object.metadata.generation ?? 0;
  const fault = setFault(set, deps.parentFault);
  const wrong = listenerFaults(set);
  const good = wrong === undefined ? undefined : { reason: 'ListenersNotValid', message: wrong };
  return {
    kind: 'ListenerSet',
    conditions: [
      conditionOf('Accepted', generation, fault, good),
      conditionOf('Programmed', generation, fault ?? deps.rejected ?? deps.programmed),
      ...noteConditions(deps.notes, generation),
    ],
    listeners: set.listeners.map((listener) =>
      listenerStatus(
        listener,
        generation,
        deps.attachedRoutes(listener.id),
        deps.rejectionOf(listener) ?? deps.programmed,
        deps.notesOf(listener),
      ),
    ),
  };
}

function setFault(set: ResolvedListenerSet, parentFault: ConditionFault | undefined): ConditionFault | undefined {
  if (set.fault) return set.fault;
  if (parentFault)
    return { reason: 'ParentNotAccepted', message: `The parent Gateway is not accepted: ${parentFault.message}` };
  const isGood = ({ acceptFault, referenceFault }: ResolvedListener) => !acceptFault && !referenceFault;
  if (set.listeners.some(isGood)) return undefined;
  return { reason: 'ListenersNotValid', message: `No listener is valid: ${listenerFaults(set)}` };
}

/** What is wrong with which listener; undefined when nothing is. */
function listenerFaults({ listeners }: ResolvedListenerSet): string | undefined {
  const wrong = listeners.flatMap(({ name, acceptFault, referenceFault }) => {
    const fault = acceptFault ?? referenceFault;
    return fault ? [`${name}: ${fault.message}`] : [];
  });
  return wrong.length > 0 ? wrong.join('; ') : undefined;
}
