import type { ObjectByKind } from '../../gateway-api/index.ts';
import type { StoredObjects } from '../../graph/engine/index.ts';
import { appliesPolicies, type BackendContent, type BackendKeyParts } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { hasLabels, podEndpoints } from '../endpoints/index.ts';
import {
  hostFaultOfXBackend,
  keyOfXBackend,
  protocolOfXBackend,
  resolveXBackendTls,
  type XBackendObject,
} from './x-backend.ts';

/** What the key of an XBackend's backend stands for now; undefined when it is gone, or has another port or type. */
export function contentOfXBackend(
  key: string,
  parts: BackendKeyParts,
  store: StoredObjects,
): BackendContent | undefined {
  const { namespace, service: name, port } = parts;
  const object = store.find('XBackend', `${namespace}/${name}`);
  if (!object || keyOfXBackend(object, parts) !== key) return undefined;
  const { tls, acceptFault } = appliesPolicies(parts) ? resolveXBackendTls(object, store) : {};
  const hostname = object.spec.externalHostname?.hostname;
  const rejected = acceptFault ?? hostFaultOfXBackend(object, store);
  const { allowed } = store.hosts.addresses;
  const backend: ir.Backend = {
    key,
    kind: 'XBackend',
    namespace,
    service: name,
    port,
    protocol: protocolOfXBackend(object, parts),
    ...(tls && { tls }),
    ...(hostname && !rejected && { hostname, ...(allowed.length > 0 && { allowedAddresses: allowed }) }),
  };
  // Without usable TLS there is no way to the backend: the object forbids plain text.
  const endpoints = rejected || hostname ? [] : endpointsOf(object, store);
  return { backend, endpoints: { backend: key, endpoints } };
}

/** Whether an XBackend selects a Pod of its namespace. */
export const selectsPod = ({ spec }: XBackendObject, pod: ObjectByKind['Pod']): boolean =>
  spec.endpointSelector !== undefined && hasLabels(pod, spec.endpointSelector.matchLabels);

function endpointsOf({ metadata: { namespace = '' }, spec }: XBackendObject, store: StoredObjects): ir.Endpoint[] {
  if (!spec.endpointSelector) return [];
  const ports = [spec.port.number ?? 0];
  return podEndpoints({ namespace, labels: spec.endpointSelector.matchLabels, portsOf: () => ports }, store);
}
