import {
  anyHost,
  compareSpecificity,
  coversHostname,
  intersectHostnames,
  type ParentReference,
} from '../gateway-api/index.ts';
import type { Fault } from './condition.ts';
import type { SettledGateway } from './gateway.ts';
import { allowsNamespace, type SettledListener } from './listener.ts';
import type { RouteObject } from './route-key.ts';
import type { Store } from './store.ts';
import { hostnameFault } from './text-fault.ts';

const group = 'gateway.networking.k8s.io';

/** Key of the Gateway a parentRef names; undefined when it names something else. */
export function gatewayOfParent(ref: ParentReference, routeNamespace: string): string | undefined {
  if ((ref.group ?? group) !== group || (ref.kind ?? 'Gateway') !== 'Gateway') return undefined;
  return `${ref.namespace ?? routeNamespace}/${ref.name}`;
}

export const attachmentKey = (gateway: string, listener: string): string => `${gateway} ${listener}`;

export type Attached = { readonly listeners: readonly SettledListener[] } | { readonly fault: Fault };

/** The listeners of a Gateway that a parentRef attaches to. Reasons: Gateway API, RouteConditionAccepted. */
export function attach(route: RouteObject, ref: ParentReference, gateway: SettledGateway, store: Store): Attached {
  const wrong = hostnamesOf(route)
    .map(hostnameFault)
    .find((fault) => fault !== undefined);
  if (wrong !== undefined) return { fault: { reason: 'UnsupportedValue', message: wrong } };
  const named = gateway.listeners.filter(
    ({ name, port }) =>
      (ref.sectionName === undefined || ref.sectionName === name) && (ref.port === undefined || ref.port === port),
  );
  if (named.length === 0) return { fault: { reason: 'NoMatchingParent', message: unmatchedParent(ref, gateway) } };
  const allowing = named.filter((listener) => allows(route, gateway, listener, store));
  if (allowing.length === 0) {
    const message = `No listener of Gateway ${gateway.key} that the parentRef names accepts ${route.kind}s of namespace ${route.metadata.namespace}: see allowedRoutes and conditions of ${named.map(({ name }) => name).join(', ')}`;
    return { fault: { reason: 'NotAllowedByListeners', message } };
  }
  const listeners = allowing.filter(({ hostname }) =>
    hostnamesOf(route).some((name) => intersectHostnames(hostname, name)),
  );
  if (listeners.length > 0) return { listeners };
  const message = `None of the hostnames ${hostnamesOf(route).join(', ')} fits a listener: ${allowing.map(({ name, hostname }) => `${name} is for ${hostname}`).join(', ')}`;
  return { fault: { reason: 'NoMatchingListenerHostname', message } };
}

function unmatchedParent({ sectionName, port }: ParentReference, gateway: SettledGateway): string {
  const asked = [sectionName && `sectionName ${sectionName}`, port && `port ${port}`].filter(Boolean).join(' and ');
  const has = gateway.listeners.map((listener) => `${listener.name} (port ${listener.port})`).join(', ');
  return `Gateway ${gateway.key} has no listener with ${asked}: it has ${has}`;
}

const allows = (route: RouteObject, gateway: SettledGateway, listener: SettledListener, store: Store): boolean =>
  !listener.acceptFault &&
  listener.supportedKinds.some(({ kind }) => kind === route.kind) &&
  allowsNamespace(gateway.object, listener.spec, route.metadata.namespace ?? '', store);

/** Lower case; any host when the route names none, or is of a kind that has none. */
export const hostnamesOf = (route: RouteObject): readonly string[] => {
  const names = (route.spec as { readonly hostnames?: readonly string[] } | undefined)?.hostnames ?? [];
  return names.length > 0 ? names.map((name) => name.toLowerCase()) : [anyHost];
};

/** The parentRef as a status repeats it, with the defaults of the API. */
export const parentRefOf = ({
  group: g = group,
  kind = 'Gateway',
  namespace,
  name,
  sectionName,
  port,
}: ParentReference): ParentReference => ({
  group: g,
  kind,
  ...(namespace !== undefined && { namespace }),
  name,
  ...(sectionName !== undefined && { sectionName }),
  ...(port !== undefined && { port }),
});

/** The most specific listener of the port that stands for a host. */
export function ownerOf(
  shape: { readonly port: readonly SettledListener[] },
  host: string,
): SettledListener | undefined {
  const covering = shape.port.filter(({ hostname }) => coversHostname(hostname, host));
  return covering.reduce<SettledListener | undefined>(
    (best, listener) => (best && compareSpecificity(best.hostname, listener.hostname) <= 0 ? best : listener),
    undefined,
  );
}
