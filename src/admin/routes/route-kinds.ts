/** Every kind of route of the Gateway API, by the short name of grouped views, with whether it is read today. */
export const routeKinds = [
  { group: 'http', kind: 'HTTPRoute' },
  { group: 'grpc', kind: 'GRPCRoute' },
  { group: 'tcp', kind: 'TCPRoute' },
  { group: 'udp', kind: 'UDPRoute' },
  { group: 'tls', kind: 'TLSRoute' },
] as const;

export type RouteKind = (typeof routeKinds)[number]['kind'];

/** `HTTPRoute` for `HTTPRoute`, `httproute` and `http`, in whatever case; undefined for no kind of route. */
export function findRouteKind(word: string): RouteKind | undefined {
  const lower = word.toLowerCase();
  return routeKinds.find(({ group, kind }) => lower === group || lower === kind.toLowerCase())?.kind;
}
