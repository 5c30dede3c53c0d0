import type { ServicePort } from '../../gateway-api/index.ts';
import { type BackendKeyParts, backendKey, parseBackendKey, type Transport } from '../../ir/index.ts';

export const transportOf = ({ protocol }: Pick<ServicePort, 'protocol'>): Transport =>
  protocol === 'UDP' ? 'UDP' : 'TCP';

/** The key of a backend's port, whatever its variant: `NAMESPACE/SERVICE/PORT`, with `/udp`, or what its source is. */
export function portOfBackend(key: string): string {
  const { namespace, service, port, transport, source } = parseBackendKey(key);
  return backendKey(namespace, service, port, { transport, source });
}

/** Whether BackendTLSPolicies of its Service say how a backend is spoken to. */
export const appliesPolicies = ({ transport, stream }: Pick<BackendKeyParts, 'transport' | 'stream'>): boolean =>
  transport === 'TCP' && stream !== 'plain';
