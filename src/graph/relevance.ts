import type { KindName, KubernetesObject, ObjectByKind } from '../gateway-api/index.ts';

/**
 * What of an object can change a build. Two versions with the same fingerprint (a status write, an annotation, a
 * renewed lease) are stored and cause no work.
 */
export function fingerprint<K extends KindName>(kind: K, object: ObjectByKind[K]): string {
  const { generation, creationTimestamp, labels } = object.metadata;
  switch (kind) {
    case 'Namespace':
      return JSON.stringify(labels ?? {});
    case 'Secret':
      return JSON.stringify((object as ObjectByKind['Secret']).data ?? {});
    case 'ConfigMap':
      return JSON.stringify((object as ObjectByKind['ConfigMap']).data?.['ca.crt'] ?? '');
    case 'EndpointSlice': {
      const { addressType, endpoints, ports } = object as ObjectByKind['EndpointSlice'];
      return JSON.stringify([labels?.['kubernetes.io/service-name'], addressType, endpoints, ports]);
    }
    case 'Pod': {
      const { spec, status } = object as ObjectByKind['Pod'];
      return JSON.stringify([labels, object.metadata.deletionTimestamp !== undefined, spec, status]);
    }
    case 'Service':
      return JSON.stringify((object as ObjectByKind['Service']).spec);
    default:
      return JSON.stringify([generation, creationTimestamp, (object as KubernetesObject).spec]);
  }
}
