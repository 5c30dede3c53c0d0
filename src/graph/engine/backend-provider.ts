import type { KindName, ObjectByKind } from '../../gateway-api/index.ts';
import type {
  BackendContent,
  BackendKeyParts,
  BackendSession,
  BackendSource,
  BackendUser,
  ConditionFault,
  ResolvedBackend,
} from '../model/index.ts';
import type { Lookup } from './lookup.ts';
import type { StoredObjects } from './stored-objects.ts';

/** How routes get to objects of a kind: it is what their backendRefs name. Keys and their parts: see backendKey. */
export interface BackendProvider<K extends KindName = never> {
  /** By source in their keys: the kind of the object that backends belong to. Those of Services have no source. */
  readonly sources: { readonly [S in BackendSource]?: KindName };
  /** Where a reference leads that ReferenceGrants allow. */
  readonly resolve: (
    ref: { readonly namespace: string; readonly name: string; readonly port: number | undefined },
    user: BackendUser,
    store: StoredObjects,
  ) => ResolvedBackend;
  /** Keys of all backends that the object has by itself, whatever their variant. */
  readonly keysOf: (object: ObjectByKind[K], store: StoredObjects) => readonly string[];
  /** What a key stands for now; undefined when its object or port is gone. */
  readonly contentOf: (key: string, parts: BackendKeyParts, lookup: Lookup) => BackendContent | undefined;
  /** No reference may name objects of the kind: they have backends of their own. */
  readonly isUnreferable?: true;
  /** All references of a rule to objects of the kind are one backend, which is the rule's own; other kinds cannot be beside them. */
  readonly isOnePerRule?: true;
  /** The object's own status reports which Gateways use it. */
  readonly reportsUse?: true;
  /** Each of its ports is a backend, which messages name, as of a Service. */
  readonly hasPorts?: true;
  /** Why nothing is sent to the host that the object names. */
  readonly hostFaultOf?: (parts: BackendKeyParts, store: StoredObjects) => ConditionFault | undefined;
  /** What the object itself says of sessions. */
  readonly sessionOf?: (parts: BackendKeyParts, store: StoredObjects) => BackendSession | undefined;
}
