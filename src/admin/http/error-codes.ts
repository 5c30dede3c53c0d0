import type { ErrorCode } from './error-code.ts';
import { resourceErrorCodes } from './resource-error-codes.ts';
import { serviceErrorCodes } from './service-error-codes.ts';

/** Every code an admin API answers with. A code never changes its meaning. */
export const errorCodes = {
  query_invalid: {
    status: 400,
    meaning: 'A query parameter is repeated, or its value is not valid; or it is unknown, in a write or a strict read.',
    remedy: 'Correct the parameter that `details` names.',
  },
  unauthorized: {
    status: 401,
    meaning: 'The bearer token is missing or wrong.',
    remedy:
      'Send `Authorization: Bearer TOKEN` with the token of `admin_auth`, or a token of the cluster if these are accepted.',
  },
  token_read_only: {
    status: 403,
    meaning: 'The token is read-only, and the request does more than read.',
    remedy: 'Use the token of `admin_auth.bearer_token`.',
  },
  token_not_configured: {
    status: 403,
    meaning:
      'The answer has data of users, and this API asks no client for a token although others on the network reach it.',
    remedy: 'Configure `admin_auth`, or let `admin.listen` listen on loopback.',
  },
  host_repeated: {
    status: 400,
    meaning: 'The request has more than one Host header.',
    remedy: 'Send one, and check which proxy on the way added the other.',
  },
  access_denied: {
    status: 403,
    meaning: 'The cluster knows the user of this token, but the user lacks the right to this request.',
    remedy: 'Bind the role that the message names, or use a token that has the right.',
  },
  host_foreign: {
    status: 403,
    meaning: 'The request has no token, and its Host is a name that another site could point here.',
    remedy:
      'Use the address, a name of `admin_auth.allowed_hosts` (of an agent: `dataplane.adminAuth.allowedHosts`), or a token.',
  },
  not_found: { status: 404, meaning: 'There is no such path.', remedy: 'Compare the path with the list of endpoints.' },
  listener_not_found: {
    status: 404,
    meaning: 'No listener of our Gateways has this name.',
    remedy: 'Use NAMESPACE.GATEWAY.LISTENER as in the list of listeners.',
  },
  route_not_found: {
    status: 404,
    meaning: 'There is no route of this kind, namespace and name.',
    remedy: 'Look it up in the list of routes; a route that is missing there was not read.',
  },
  ingress_not_found: {
    status: 404,
    meaning: 'There is no Ingress of this namespace and name, or Ingresses are not served.',
    remedy:
      'Look it up in the list of Ingresses, and see `ingress.enabled` of the configuration if that list is empty.',
  },
  route_kind_unknown: {
    status: 404,
    meaning: 'The kind in the path is not a kind of route.',
    remedy: 'Use httproute, grpcroute, tcproute, udproute or tlsroute.',
  },
  backend_not_found: {
    status: 404,
    meaning: 'No route forwards to this Service and port, or the Service does not exist.',
    remedy: 'Use SERVICE:PORT as in the list of backends, and see the ResolvedRefs condition of the route.',
  },
  gateway_not_found: {
    status: 404,
    meaning: 'No Gateway of our classes has this namespace and name.',
    remedy: 'See the Gateway’s class and the controllerName of that GatewayClass.',
  },
  node_not_found: {
    status: 404,
    meaning: 'No data plane with this node id is connected, or was lost in the last ten minutes.',
    remedy: 'Look it up in the list of nodes; see the log of the data plane if it is missing there.',
  },
  snapshot_not_kept: {
    status: 404,
    meaning: 'This replica did not publish this snapshot lately, or has published 20 newer ones.',
    remedy: 'Use ids of `/v1/snapshots`; each replica keeps its own list.',
  },
  node_not_connected: {
    status: 409,
    meaning:
      'The data plane is not connected, or its control plane replica is unreachable, so nothing can be sent to it.',
    remedy: 'Nothing: its rejections end with the connection, and the content is sent when it connects again.',
  },
  code_unknown: {
    status: 404,
    meaning: 'There is no such problem, response flag, condition reason or error code.',
    remedy: 'Look it up in docs/problems.md and docs/errors.md.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but not for this method.',
    remedy: 'Use a method of the `Allow` header.',
  },
  name_ambiguous: {
    status: 409,
    meaning: 'Several objects have this short name.',
    remedy: 'Use one of the full names in `details`.',
  },
  rate_limited: {
    status: 429,
    meaning: 'This address sends too many requests.',
    remedy: 'Wait for the time in `Retry-After`; see `admin_auth.requests_per_second`.',
  },
  internal_error: {
    status: 500,
    meaning: 'Internal error: this is a bug in Gatewright.',
    remedy: 'Find the request id in the log and report it.',
  },
  not_implemented: {
    status: 501,
    meaning: 'The path is part of the contract, but this version does not implement it.',
    remedy: 'See `/v1/dashboard/capabilities` for the available features.',
  },
  dataplane_unreachable: {
    status: 502,
    meaning: 'The agent of the data plane did not answer within two seconds, or its answer is not valid.',
    remedy: 'Check that it is connected and that the control plane can reach its admin port.',
  },
  diff_busy: {
    status: 503,
    meaning: 'Another comparison is running; only one runs at a time.',
    remedy: 'Repeat the request in a second.',
  },
  envoy_unavailable: {
    status: 503,
    meaning: 'Envoy is not running, or does not respond to its agent.',
    remedy: 'See `/api/v1/status` of the agent for its state, and its log for the reason.',
  },
  identity_unavailable: {
    status: 503,
    meaning: 'The API server cannot verify the token or its rights at the moment. Configured tokens still work.',
    remedy:
      'Repeat the request. Check that the API server is reachable and that the control plane has the right to create reviews.',
  },
  too_many_streams: {
    status: 503,
    meaning: 'Too many event streams are open.',
    remedy: 'Close some, or try again later.',
  },
  not_ready: {
    status: 503,
    meaning: 'The first full list of resources is not complete yet, so there is no snapshot.',
    remedy: 'Wait for the readiness endpoint to answer 200.',
  },
  ...resourceErrorCodes,
  ...serviceErrorCodes,
} as const satisfies Record<string, ErrorCode>;

export type ErrorCodeName = keyof typeof errorCodes;
