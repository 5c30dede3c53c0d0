import type { KindName } from '../../gateway-api/index.ts';
import type { Dirty, KindModules } from '../engine/index.ts';
import { type Rejection, routeKeyOfSource } from '../model/index.ts';

type Content = Pick<Rejection, 'kind' | 'gateway' | 'key'>;

/** Marks the object of some content that is rejected. */
export function markRejected(dirty: Dirty, kinds: KindModules, content: Content): void {
  const { kind, gateway, key } = content;
  if (kind === 'backend' || kind === 'endpoints') dirty.backends.add(key);
  else if (kind === 'route') markRoute(dirty, key);
  else if (!markPolicy(dirty, kinds, content)) dirty.fleets.add(gateway);
}

function markRoute(dirty: Dirty, source: string): void {
  const route = routeKeyOfSource(source);
  if (route !== undefined) dirty.routes.add(route);
}

/** Whether it is of a policy. */
function markPolicy(dirty: Dirty, kinds: KindModules, content: Content): boolean {
  return (Object.keys(kinds) as KindName[]).some((kind) => {
    const policy = kinds[kind].policyOf?.(content);
    if (policy !== undefined) dirty.markStatus(kind, policy);
    return policy !== undefined;
  });
}
