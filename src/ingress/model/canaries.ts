import type { Ingress } from '../world/objects.ts';
import type { Location } from './locations.ts';
import { bytesOf } from './request-path.ts';
import { defaultUpstream, type Upstream, upstreamName } from './upstreams.ts';

interface Hosted {
  readonly locations: readonly Location[];
}

/**
 * Gives each primary its canaries: a canary's path finds the location of the same host, path and type. It is the Service that gets the canary, so
 * every other path that leads to that Service has it too. A canary without a primary is never reached.
 */
export function mergeCanaries(
  ingresses: readonly Ingress[],
  servers: ReadonlyMap<string, Hosted>,
  upstreams: Map<string, Upstream>,
): void {
  for (const ingress of ingresses)
    for (const { host, http } of ingress.spec.rules ?? [])
      for (const { path = '', pathType, backend } of http?.paths ?? []) {
        const canary = upstreams.get(upstreamName(ingress, backend) ?? '');
        const locations = servers.get(host || '_')?.locations;
        if (canary?.canary === undefined || locations === undefined) continue;
        const type = pathType === 'Exact' ? 'Exact' : 'Prefix';
        if (!merge(canary, locations, { path: bytesOf(path || '/'), type }, upstreams)) upstreams.delete(canary.name);
      }
}

/** Whether it has found a primary, or is one. */
function merge(
  canary: Upstream,
  locations: readonly Location[],
  wanted: Pick<Location, 'path' | 'type'>,
  upstreams: ReadonlyMap<string, Upstream>,
): boolean {
  let isMerged = false;
  for (const { path, type, upstream } of locations) {
    if (upstream === canary.name) return true;
    const primary = upstreams.get(upstream);
    if (path !== wanted.path || type !== wanted.type || upstream === defaultUpstream) continue;
    if (primary === undefined || primary.canary !== undefined) continue;
    if (!primary.alternatives.includes(canary.name)) primary.alternatives.push(canary.name);
    isMerged = true;
  }
  return isMerged;
}
