import type { HostRules } from '../../egress/index.ts';
import type { CrossReference, KindName, ObjectByKind } from '../../gateway-api/index.ts';
import type { Scope } from './scope.ts';
import type { FoundCode, UserCode } from './user-code.ts';

/** The stored objects, for reading. They are never changed, only replaced. */
export interface StoredObjects {
  readonly scope: Scope;
  /** What hosts in them are held against. */
  readonly hosts: HostRules;
  /** Code of users that proxies run. */
  readonly userCode: UserCode;
  /** Code that is kept elsewhere, by what objects ask for. Undefined: nothing is known of it yet. */
  codeOf(source: string): FoundCode | undefined;
  /** `key` as keyOf makes it. */
  find<K extends KindName>(kind: K, key: string): ObjectByKind[K] | undefined;
  list<K extends KindName>(kind: K): Iterable<ObjectByKind[K]>;
  count(kind: KindName): number;
  /** The EndpointSlices of a Service or ServiceImport, by backendOwner. */
  slicesOf(owner: string): Iterable<ObjectByKind['EndpointSlice']>;
  /** Pods of a namespace, among them all that have these labels. */
  podsOf(namespace: string, labels: Readonly<Record<string, string>>): Iterable<ObjectByKind['Pod']>;
  /** Whether the reference stays in its namespace, or a ReferenceGrant lets it out. */
  allows(reference: CrossReference): boolean;
}
