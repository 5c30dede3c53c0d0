import type { RouteKind } from './world.ts';

/** Where requests to a host arrive. Listeners of one place have one hostname; one has protocol HTTP, and one HTTPS. */
export interface Place {
  /** What the names of its hosts end with. */
  readonly domain: string;
  /** Of the listeners; undefined: every host that no other listener is for. */
  readonly hostname?: string;
  /** Name of the listener of protocol HTTP; that of HTTPS has `-tls` behind it. */
  readonly listener: string;
  /** The ListenerSet whose listeners they are; undefined: the Gateway's own. */
  readonly set?: string;
}

/** All listeners of protocol HTTP share one port, and those of HTTPS another. */
export const places: readonly Place[] = [
  { domain: 'test', listener: 'all' },
  { domain: 'b.test', hostname: '*.b.test', listener: 'b' },
  { domain: 'c.test', hostname: '*.c.test', listener: 'c', set: 'more' },
  { domain: 'd.test', hostname: '*.d.test', listener: 'd', set: 'more' },
];

export const placeOf = (host: number): Place => places[host % places.length] as Place;

/** What is in the hostnames of a host's route. */
export const hostnameOf = (host: number, isWildcard: boolean): string =>
  `${isWildcard ? '*.' : ''}h${host}.${placeOf(host).domain}`;

const group = 'gateway.networking.k8s.io' as const;

/** What a policy may name. */
export interface TargetRef {
  readonly group: typeof group;
  readonly kind: 'Gateway' | 'ListenerSet' | RouteKind;
  readonly name: string;
  readonly sectionName?: string;
}

export const gatewayTarget: TargetRef = { group, kind: 'Gateway', name: 'edge' };

export const setTarget = (name: string): TargetRef => ({ group, kind: 'ListenerSet', name });

export const listenerTarget = ({ listener, set }: Place, isTls: boolean): TargetRef => ({
  ...(set === undefined ? gatewayTarget : setTarget(set)),
  sectionName: isTls ? `${listener}-tls` : listener,
});

/** A host's route, or one rule of it. */
export const routeTarget = (host: number, kind: RouteKind, sectionName?: string): TargetRef => ({
  group,
  kind,
  name: `h${host}`,
  ...(sectionName !== undefined && { sectionName }),
});
