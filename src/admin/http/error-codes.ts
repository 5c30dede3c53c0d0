import { resourceErrorCodes } from './resource-error-codes.ts';
import { serviceErrorCodes } from './service-error-codes.ts';

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
    remedy:
      'Send `Authorization: Bearer TOKEN` with the token of `admin_auth`, or one of the cluster where these are taken.',
  },
  token_read_only: {
    status: 403,
    meaning: 'The token is the one for reading, and the request is not one that only reads.',
    remedy: 'Use the token of `admin_auth.bearer_token`.',
  },
  host_repeated: {
    status: 400,
    meaning: 'The request has more than one Host header.',
    remedy: 'Send one, and look at the proxy in between that added the other.',
  },
  access_denied: {
    status: 403,
    meaning: 'The cluster knows who sends the token, and does not give that person the right to this.',
    remedy: 'Bind the role that the message names, or use a token that has the right.',
  },
  host_foreign: {
    status: 403,
    meaning: 'The request shows no token, and came by a name that another site could lead here.',
    remedy:
      'Use the address, or a name of `admin_auth.allowed_hosts` (of an agent: `dataplane.adminAuth.allowedHosts`); or send a token.',
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
  node_not_connected: {
    status: 409,
    meaning:
      'The data plane is not connected, or its control plane replica is not heard of: nothing can be sent to it.',
    remedy: 'Nothing is to be done: what it refused is forgotten, and offered when it connects again.',
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
  rate_limited: {
    status: 429,
    meaning: 'This address sends more requests than it may.',
    remedy: 'Wait for as long as `Retry-After` says; see `admin_auth.requests_per_second`.',
  },
  internal_error: {
    status: 500,
    meaning: 'A promise of ours is broken.',
    remedy: 'Look for the request id in the log and report it.',
  },
  not_implemented: {
    status: 501,
    meaning: 'The path is part of the contract, and what is behind it is not part of this version.',
    remedy: 'See `/v1/dashboard/capabilities` for what works.',
  },
  dataplane_unreachable: {
    status: 502,
    meaning: 'The agent of the data plane did not answer within two seconds, or not as an agent does.',
    remedy: 'See whether it is connected and whether its admin port can be reached from the control plane.',
  },
  diff_busy: {
    status: 503,
    meaning: 'Another comparison is being made; one at a time is enough.',
    remedy: 'Ask again in a second.',
  },
  envoy_unavailable: {
    status: 503,
    meaning: 'Envoy is not running, or does not answer its agent.',
    remedy: 'See `/api/v1/status` of the agent for its state, and its log for why.',
  },
  identity_unavailable: {
    status: 503,
    meaning:
      'The API server cannot be asked now who sends the token, or what that person may do. Configured tokens work on.',
    remedy: 'Ask again; see whether the API server answers, and whether the control plane may ask it.',
  },
  too_many_streams: {
    status: 503,
    meaning: 'So many event streams are open that no other is taken on.',
    remedy: 'Close some, or ask again later.',
  },
  not_ready: {
    status: 503,
    meaning: 'The first full list of resources is not in yet, so there is no snapshot to show.',
    remedy: 'Wait for the readiness endpoint to answer 200.',
  },
  ...resourceErrorCodes,
  ...serviceErrorCodes,
} as const satisfies Record<string, ErrorCode>;

export type ErrorCodeName = keyof typeof errorCodes;
