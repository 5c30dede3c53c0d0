import type { ObjectByKind, Pod } from '../../gateway-api/index.ts';
import type { StoredObjects } from '../../graph/engine/index.ts';
import { appliesPolicies, type BackendContent, type BackendKeyParts, compareText } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
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
  const endpoints = rejected || hostname ? [] : podEndpoints(object, store);
  return { backend, endpoints: { backend: key, endpoints } };
}

/** Whether an XBackend selects a Pod of its namespace. */
export const selectsPod = ({ spec }: XBackendObject, { metadata }: ObjectByKind['Pod']): boolean =>
  spec.endpointSelector !== undefined &&
  Object.entries(spec.endpointSelector.matchLabels).every(([label, value]) => metadata.labels?.[label] === value);

/** As for Services: when none is ready, those that are leaving and still serve are used. */
function podEndpoints(object: XBackendObject, store: StoredObjects): ir.Endpoint[] {
  const pods = [...store.podsOf(object.metadata.namespace ?? '')].filter((pod) => selectsPod(object, pod));
  const serving = pods.filter(isReady).flatMap((pod) => endpointOf(pod, object.spec.port.number ?? 0));
  const someReady = serving.some(({ health }) => health === 'ready');
  const endpoints = someReady ? serving : serving.map((endpoint) => ({ ...endpoint, health: 'ready' as const }));
  return endpoints.sort((a, b) => compareText(a.address, b.address) || a.port - b.port);
}

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;

/** Since Kubernetes 1.35 Pods carry the zone of their node as a label. */
const zoneLabel = 'topology.kubernetes.io/zone';

function endpointOf({ metadata, spec, status }: Pod, port: number): ir.Endpoint[] {
  const [first] = status?.podIPs ?? [];
  if (!first) return [];
  const zone = metadata.labels?.[zoneLabel];
  const health = metadata.deletionTimestamp === undefined ? 'ready' : 'draining';
  return [{ address: first.ip, port, ...(zone && { zone }), ...(spec?.nodeName && { node: spec.nodeName }), health }];
}
