import { resourceErrorCodes } from './resource-error-codes.ts';

/** What a stable error code means and what to do about it. `docs/errors.md` lists the same, and a test holds them together. */
export interface ErrorCode {
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
}

/** Every code an admin API answers with. A code never changes its meaning. */
export const errorCodes = {
  query_invalid: {
    status: 400,
    meaning: 'A query parameter is unknown, repeated or has a value that does not fit.',
    remedy: 'Correct the parameter that `details` names.',
  },
  unauthorized: {
    status: 401,
    meaning: 'The bearer token is missing or wrong.',
    remedy: 'Send `Authorization: Bearer TOKEN` with the token of `admin_auth`.',
  },
  not_found: { status: 404, meaning: 'There is no such path.', remedy: 'Compare the path with the list of endpoints.' },
  listener_not_found: {
    status: 404,
    meaning: 'No listener of our Gateways has this name.',
    remedy: 'Use NAMESPACE.GATEWAY.LISTENER as the list of listeners writes it.',
  },
  route_not_found: {
    status: 404,
    meaning: 'There is no route of this kind, namespace and name.',
    remedy: 'Look it up in the list of routes; a route that is missing there was never read.',
  },
  route_kind_unknown: {
    status: 404,
    meaning: 'The kind in the path is no kind of route.',
    remedy: 'Use httproute, grpcroute, tcproute, udproute or tlsroute.',
  },
  backend_not_found: {
    status: 404,
    meaning: 'No route of ours forwards to this Service and port, or the Service is missing.',
    remedy: 'Use SERVICE:PORT as the list of backends writes it, and see the ResolvedRefs condition of the route.',
  },
  gateway_not_found: {
    status: 404,
    meaning: 'No Gateway of our classes has this namespace and name.',
    remedy: 'See the Gateway’s class and the controllerName of that GatewayClass.',
  },
  node_not_found: {
    status: 404,
    meaning: 'No data plane with this node id is connected, or was during the last ten minutes.',
    remedy: 'Look it up in the list of nodes; see the log of the data plane if it is missing there.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but not for this method.',
    remedy: 'Use a method of the `Allow` header.',
  },
  name_ambiguous: {
    status: 409,
    meaning: 'Several things have this short name.',
    remedy: 'Use one of the full names in `details`.',
  },
  internal_error: {
    status: 500,
    meaning: 'A promise of ours is broken.',
    remedy: 'Look for the request id in the log and report it.',
  },
  not_ready: {
    status: 503,
    meaning: 'The first full list of resources is not in yet, so there is no snapshot to show.',
    remedy: 'Wait for the readiness endpoint to answer 200.',
  },
  ...resourceErrorCodes,
} as const satisfies Record<string, ErrorCode>;

export type ErrorCodeName = keyof typeof errorCodes;
