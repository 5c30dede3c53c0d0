import { credentialsLabel, type ObjectByKind } from '../../../gateway-api/index.ts';
import { type StoredObjects, ungranted } from '../../../graph/engine/index.ts';
import type { ConditionFault } from '../../../graph/model/index.ts';
import { namespaceOf, type Policy } from './part.ts';

interface DataRef {
  readonly name: string;
  readonly namespace?: string;
}

type DataKind = 'Secret' | 'ConfigMap';

type Referred<K extends DataKind> = { readonly object: ObjectByKind[K] } | { readonly fault: ConditionFault };

/** A Secret or ConfigMap that a policy names and may read. */
export function referred<K extends DataKind>(kind: K, ref: DataRef, policy: Policy, store: StoredObjects): Referred<K> {
  const { name, namespace = namespaceOf(policy) } = ref;
  const user = { group: 'gatewright.dev', kind: 'AccessPolicy', namespace: namespaceOf(policy) };
  if (!store.allows({ from: user, to: { group: '', kind, namespace, name } }))
    return { fault: { reason: 'RefNotPermitted', message: ungranted({ kind, namespace, name, user }, store) } };
  const object = store.find(kind, `${namespace}/${name}`);
  if (object) return { object };
  return { fault: { reason: `${kind}NotFound`, message: `${kind} ${namespace}/${name} does not exist` } };
}

/** An entry of a Secret's data, as text. */
export const secretText = ({ data }: ObjectByKind['Secret'], key: string): string | undefined => {
  const value = Object.hasOwn(data ?? {}, key) ? data?.[key] : undefined;
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
};

/** A cluster's source keeps entries under usual names, and those of labelled objects. */
export const labelAdvice = ({ metadata }: ObjectByKind[DataKind], key: string, usual: string): string =>
  key === usual || metadata.labels?.[credentialsLabel] === 'true'
    ? ''
    : ` (an entry that is not called ${usual} is read where the label ${credentialsLabel}: "true" is)`;

export const describeData = (kind: DataKind, { metadata }: ObjectByKind[DataKind]): string =>
  `${kind} ${metadata.namespace}/${metadata.name}`;
