import { type KindName, objectKey, type ServicePort } from '../../gateway-api/index.ts';
import {
  type BackendKeyParts,
  type BackendSource,
  backendKey,
  parseBackendKey,
  type Transport,
} from '../../ir/index.ts';
import { backendOwner } from './keys.ts';

export const transportOf = ({ protocol }: Pick<ServicePort, 'protocol'>): Transport =>
  protocol === 'UDP' ? 'UDP' : 'TCP';

/** The kinds that backends of a source are of: the one that provides them, and the one whose object they belong to. */
const sourceKinds: Readonly<Record<BackendSource, { readonly provider: KindName; readonly owner: KindName }>> = {
  import: { provider: 'ServiceImport', owner: 'ServiceImport' },
  pods: { provider: 'XBackend', owner: 'XBackend' },
  external: { provider: 'XBackend', owner: 'XBackend' },
  pool: { provider: 'InferencePool', owner: 'InferencePool' },
  servers: { provider: 'InferencePool', owner: 'InferencePool' },
  dynamic: { provider: 'DynamicBackend', owner: 'DynamicBackend' },
  ai: { provider: 'AIService', owner: 'AIService' },
  'ai-route': { provider: 'AIService', owner: 'HTTPRoute' },
  login: { provider: 'AccessPolicy', owner: 'AccessPolicy' },
  credential: { provider: 'HTTPFilter', owner: 'HTTPFilter' },
  module: { provider: 'ExtensionPolicy', owner: 'ExtensionPolicy' },
};

/** The kind whose module knows backends of a source. */
export const providerKindOf = ({ source }: Pick<BackendKeyParts, 'source'>): KindName =>
  source ? sourceKinds[source].provider : 'Service';

/** The kind of the object that a backend belongs to. */
export const ownerKindOf = ({ source }: Pick<BackendKeyParts, 'source'>): KindName =>
  source ? sourceKinds[source].owner : 'Service';

/** What a backend belongs to, as backendOwner. */
export function ownerOfBackend(key: string): string {
  const parts = parseBackendKey(key);
  return backendOwner(ownerKindOf(parts), objectKey(parts.namespace, parts.service));
}

/** The key of a backend's port, whatever its variant: `NAMESPACE/SERVICE/PORT`, with `/udp`, or what its source is. */
export function portOfBackend(key: string): string {
  const { namespace, service, port, transport, source } = parseBackendKey(key);
  return backendKey(namespace, service, port, { transport, source });
}

/** Whether BackendTLSPolicies of its Service say how a backend is spoken to. */
export const appliesPolicies = ({ transport, stream }: Pick<BackendKeyParts, 'transport' | 'stream'>): boolean =>
  transport === 'TCP' && stream !== 'plain';
