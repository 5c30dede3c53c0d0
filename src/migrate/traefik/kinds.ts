import type { SourceKind } from '../kit/read.ts';

/** Groups of Traefik, of its third and of its second version. */
const groups: readonly string[] = ['traefik.io', 'traefik.containo.us'];

const own = (kind: string, plural: string): SourceKind => ({
  kind,
  types: groups.map((group) => ({ group, version: 'v1alpha1', plural })),
});

/** All that is read of a cluster or of files. Secrets are not. */
export const traefikKinds: readonly SourceKind[] = [
  own('IngressRoute', 'ingressroutes'),
  own('IngressRouteTCP', 'ingressroutetcps'),
  own('IngressRouteUDP', 'ingressrouteudps'),
  own('Middleware', 'middlewares'),
  own('MiddlewareTCP', 'middlewaretcps'),
  own('ServersTransport', 'serverstransports'),
  own('TLSOption', 'tlsoptions'),
  own('TLSStore', 'tlsstores'),
  own('TraefikService', 'traefikservices'),
  { kind: 'Service', types: [{ group: '', version: 'v1', plural: 'services' }] },
];
