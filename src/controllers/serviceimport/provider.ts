import { objectKey } from '../../gateway-api/index.ts';
import type { BackendProvider } from '../../graph/engine/index.ts';
import { backendKey, backendOwner, transportOf } from '../../graph/model/index.ts';
import { endpointsOf, keyOfPort, protocolFor } from '../endpoints/index.ts';

const source = 'import';

/**
 * A ServiceImport: its ports are backends, with the addresses of the EndpointSlices that the cluster's controller writes for it. Source: GEP-1748,
 * and KEP-1645 for the label of the slices.
 */
export const serviceImportProvider: BackendProvider<'ServiceImport'> = {
  sources: { [source]: 'ServiceImport' },
  hasPorts: true,
  resolve({ namespace, name, port }, user, store) {
    const object = store.find('ServiceImport', objectKey(namespace, name));
    if (object) return keyOfPort(object, { source, port }, user);
    return { fault: { reason: 'BackendNotFound', message: `ServiceImport ${namespace}/${name} does not exist` } };
  },
  keysOf: ({ metadata: { namespace = '', name }, spec }) =>
    (spec.ports ?? []).map((port) => backendKey(namespace, name, port.port, { source, transport: transportOf(port) })),
  contentOf(key, parts, { store }) {
    const { namespace, service, port, transport } = parts;
    const object = store.find('ServiceImport', objectKey(namespace, service));
    const found = object?.spec.ports?.find((entry) => entry.port === port && transportOf(entry) === transport);
    if (!found) return undefined;
    const endpoints = endpointsOf(backendOwner('ServiceImport', objectKey(namespace, service)), found, store);
    const protocol = protocolFor(parts, found);
    return {
      backend: { key, kind: 'ServiceImport', namespace, service, port, protocol },
      endpoints: { backend: key, endpoints },
    };
  },
};
