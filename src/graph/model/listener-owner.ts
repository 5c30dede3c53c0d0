import { keyOf, type ObjectByKind } from '../../gateway-api/index.ts';

/** An object that declares listeners. Source: GEP-1713. */
export type ListenerOwnerObject = ObjectByKind['Gateway' | 'ListenerSet'];

/** What declares a listener: it decides what "the same namespace" is, and whom ReferenceGrants must let in. */
export interface ListenerOwner {
  readonly kind: 'Gateway' | 'ListenerSet';
  readonly namespace: string;
  readonly name: string;
}

export const ownerOfListeners = ({ kind, metadata }: ListenerOwnerObject): ListenerOwner => ({
  kind: kind === 'ListenerSet' ? 'ListenerSet' : 'Gateway',
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

/** `ListenerSet team-a/extra`, as messages name it. */
export const describeOwner = ({ kind, namespace, name }: ListenerOwner): string => `${kind} ${namespace}/${name}`;

/**
 * Identifies a listener within its Gateway: names are unique only within the object that declares them. `LISTENER` of the
 * Gateway itself, `NAMESPACE/SET/LISTENER` of a ListenerSet.
 */
export const listenerId = (owner: ListenerOwnerObject, name: string): string =>
  owner.kind === 'ListenerSet' ? `${keyOf(owner)}/${name}` : name;
