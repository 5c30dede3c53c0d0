import * as ir from '../../ir/index.ts';
import type { Dirty } from '../engine/index.ts';
import { type Rejection, routeKeyOfSource } from '../model/index.ts';

/** Marks the object of some content that is rejected. */
export function markRejected(dirty: Dirty, { kind, gateway, key }: Pick<Rejection, 'kind' | 'gateway' | 'key'>): void {
  const route = kind === 'route' ? routeKeyOfSource(key) : undefined;
  if (kind === 'traffic')
    dirty.markStatus(ir.isExtensionKey(key) ? 'ExtensionPolicy' : 'TrafficPolicy', ir.policyOfTraffic(key));
  else if (kind === 'limit') dirty.markStatus('RateLimitPolicy', ir.policyOfBucket(key));
  else if (kind === 'access') dirty.markStatus('AccessPolicy', key);
  else if (kind === 'patch') dirty.markStatus('EnvoyPatch', ir.policyOfPatch(key));
  else if (kind === 'backend' || kind === 'endpoints') dirty.backends.add(key);
  else if (kind !== 'route') dirty.fleets.add(gateway);
  else if (route !== undefined) dirty.routes.add(route);
}
