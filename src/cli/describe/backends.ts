import type { AdminClient } from '../kit/admin-client.ts';
import type { Wire } from '../kit/wire.ts';
import type { BackendRef } from './rules.ts';

type Backend = Wire['backend'];

/** Every backend of some namespaces that routes forward to. */
export const backendsAt = async (client: AdminClient, namespaces: readonly string[]): Promise<readonly Backend[]> =>
  (
    await Promise.all(
      namespaces.map((namespace) =>
        client.get<readonly Backend[]>(`/v1/backends?${new URLSearchParams({ namespace })}`),
      ),
    )
  ).flat();

/** How the endpoints of a reference are. */
export function healthText(
  backends: readonly Backend[],
  { namespace, name, port }: BackendRef,
): { readonly health: string; readonly healthy: number | null; readonly endpoints: number | null } {
  const found = backends.find(
    (backend) =>
      backend.namespace === namespace && backend.service === name && (port === undefined || backend.port === port),
  );
  if (found === undefined) return { health: 'not resolved', healthy: null, endpoints: null };
  if (found.hostname) {
    const failing = found.endpoints.length === 0 ? '' : `: ${found.endpoints.length} of its addresses fail`;
    return { health: found.problem ?? `found by DNS as ${found.hostname}${failing}`, healthy: null, endpoints: null };
  }
  const healthy = found.endpoints.filter((endpoint) => endpoint.healthy).length;
  const count = `${healthy} of ${found.endpoints.length} endpoints healthy`;
  return {
    health: found.problem ?? (found.endpoints.length === 0 ? 'no endpoint' : count),
    healthy,
    endpoints: found.endpoints.length,
  };
}
