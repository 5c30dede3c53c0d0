import { objectKey } from '../../gateway-api/index.ts';
import type { Fields } from '../features/part.ts';
import type { Judged } from '../judge/judge.ts';
import type { Site } from '../judge/site.ts';
import type { Upstream } from '../model/upstreams.ts';
import { portNumber } from '../world/port-number.ts';
import type { World } from '../world/world.ts';
import { nameOf } from './names.ts';
import type { OwnFilters } from './own-filters.ts';

/** What rules of one Ingress share. */
export interface RuleContext {
  readonly judged: Judged;
  readonly site: Site;
  readonly filters: OwnFilters;
  /** Strict-Transport-Security, where answers go out over HTTPS. */
  readonly transport: string | undefined;
  /** Why all paths are answered 503. */
  readonly closed: string | undefined;
  /** The rules are served as they are, and are not written into files: what leads to no backend is answered 503. */
  readonly isServed: boolean;
}

/** A backend of a rule; undefined if the number of its port is not known. ExternalName Services are reached by an XBackend of their name. */
export function backendRef(
  upstream: Upstream,
  { site: { world }, judged, isServed }: Pick<RuleContext, 'site' | 'judged' | 'isServed'>,
): Fields | undefined {
  const key = objectKey(upstream.namespace, upstream.service);
  const port = portNumber(world, key, upstream.port);
  if (port === undefined) return undefined;
  const { spec } = world.services.get(key) ?? {};
  if (isServed && (spec?.type === 'ExternalName' || !spec?.ports?.some((each) => each.port === port))) return undefined;
  const isAway = upstream.namespace !== (judged.ingress.metadata.namespace ?? 'default');
  // No grant allows what a canary of another namespace would refer to.
  if (isAway && isServed) return undefined;
  const away = isAway ? { namespace: upstream.namespace } : {};
  if (spec?.type !== 'ExternalName') return { name: upstream.service, ...away, port };
  return {
    group: 'gateway.networking.x-k8s.io',
    kind: 'XBackend',
    name: externalName(upstream.service, port),
    ...away,
  };
}

/** The Service that an XBackend stands for; the same name where it stands for none. */
export function serviceBehind({ services }: World, namespace: string, name: string, port: number): string {
  const ending = `-${port}`;
  const plain = name.endsWith(ending) ? name.slice(0, -ending.length) : name;
  return services.get(objectKey(namespace, plain))?.spec.type === 'ExternalName' ? plain : name;
}

export const externalName = (service: string, port: number): string => nameOf(service, String(port));
