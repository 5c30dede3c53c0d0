/** What a flag of Envoy's access log says of a request, with what most often causes it and what to do. */
export interface ResponseFlag {
  /** Envoy's long name of it. */
  readonly name: string;
  readonly summary: string;
  readonly causes: readonly string[];
  readonly steps: readonly string[];
}

const backendLogs = 'Read the log of the backend at the time of the request.';
const seeEndpoints = 'See the endpoints of the backend: `gatewright get backends`, `kubectl get endpointslices`.';

/** Every flag by its short name. Source: `%RESPONSE_FLAGS%` in Envoy's access log, `source/common/stream_info/utility.h`. */
export const responseFlags: Readonly<Record<string, ResponseFlag>> = {
  UH: {
    name: 'NoHealthyUpstream',
    summary: 'The backend has no endpoint that may take the request; the client gets 503.',
    causes: [
      'No pod matches the selector of the Service, or none is ready.',
      'Health checks or outlier detection removed every endpoint.',
    ],
    steps: [seeEndpoints, 'Compare the selector of the Service with the labels of its pods, and see their readiness.'],
  },
  UF: {
    name: 'UpstreamConnectionFailure',
    summary: 'Envoy could not connect to the endpoint; the client gets 503.',
    causes: [
      'Nothing listens on the target port: the Service names another one than the pod opens.',
      'A NetworkPolicy or firewall drops the connection.',
      'TLS to the backend fails: see `upstream_transport_failure_reason` in the access log.',
    ],
    steps: [
      'Compare `targetPort` of the Service with the port that the container listens on, and that it listens on 0.0.0.0.',
      'Connect from another pod of the namespace of the proxy.',
      'For TLS, check the hostname and authorities of the BackendTLSPolicy.',
    ],
  },
  UO: {
    name: 'UpstreamOverflow',
    summary: 'A circuit breaker is open: too many connections or requests to the backend at once; the client gets 503.',
    causes: ['The backend is slower than the requests that arrive.', 'The limit of the BackendPolicy is too low.'],
    steps: ['See how long the backend takes.', 'Add endpoints, or raise the limit.'],
  },
  UT: {
    name: 'UpstreamRequestTimeout',
    summary: 'The backend did not answer within the timeout of the route; the client gets 504.',
    causes: ['The backend is slow or hangs.', '`timeouts` of the rule are shorter than such a request takes.'],
    steps: [backendLogs, 'Raise `timeouts.request` or `timeouts.backendRequest` of the rule if the time is expected.'],
  },
  UC: {
    name: 'UpstreamConnectionTermination',
    summary: 'The backend closed the connection before the answer was complete; the client gets 503.',
    causes: [
      'The backend process ended or restarted.',
      'The backend closes idle connections sooner than Envoy expects.',
      'Backend and Envoy use different protocols, such as HTTP/1.1 and HTTP/2.',
    ],
    steps: [
      backendLogs,
      'Give the backend a keep-alive timeout that is longer than the idle timeout of the proxy.',
      'Check `appProtocol` of the port of the Service.',
    ],
  },
  UR: {
    name: 'UpstreamRemoteReset',
    summary: 'The backend reset the request; the client gets 503.',
    causes: ['The backend rejected or aborted the stream.', 'A gRPC server stopped or is overloaded.'],
    steps: [backendLogs],
  },
  LR: {
    name: 'LocalReset',
    summary: 'Envoy reset the request to the backend; the client gets 503.',
    causes: ['A limit of Envoy or a protocol error ended the stream.'],
    steps: ['Read `%RESPONSE_CODE_DETAILS%` in the access log; it names the reason.'],
  },
  URX: {
    name: 'UpstreamRetryLimitExceeded',
    summary: 'The request failed, and so did every repetition; for TCP, no more attempts to connect are left.',
    causes: ['Every endpoint that was tried failed.', 'The cause of the last attempt is a flag beside this one.'],
    steps: ['See the flag beside it, such as UF or UC.', seeEndpoints],
  },
  NR: {
    name: 'NoRouteFound',
    summary: 'No route is for this host and path, or no filter chain for this server name; the client gets 404.',
    causes: ['A typing error in the host or path.', 'The route is not accepted, or attached to another listener.'],
    steps: ['Ask `gatewright route-test URL`, which names the rules of the host and why they do not match.'],
  },
  NC: {
    name: 'NoClusterFound',
    summary: 'The route leads to a backend that the proxy does not have; the client gets 500 or 503.',
    causes: ['A backendRef does not resolve.', 'The proxy rejected the backend and does not have it.'],
    steps: ['See ResolvedRefs of the route, and what the proxy rejects: `gatewright nodes`.'],
  },
  DC: {
    name: 'DownstreamConnectionTermination',
    summary: 'The client went away before the answer was complete.',
    causes: ['A user closed the page, or a client gave up at its own timeout.'],
    steps: [
      'Nothing, if there are few. If there are many, compare the duration of these requests with the client’s timeout.',
    ],
  },
  DR: {
    name: 'DownstreamRemoteReset',
    summary: 'The client reset its request.',
    causes: ['The client cancelled the request, as browsers and gRPC clients do.'],
    steps: ['Nothing, if there are few. If there are many, see why the client cancels.'],
  },
  DT: {
    name: 'DurationTimeout',
    summary: 'The request or connection reached the longest duration that is allowed for it.',
    causes: ['A long download, stream or connection meets a limit of the listener or route.'],
    steps: ['Raise the limit of the ListenerPolicy or the timeouts of the rule, or shorten the exchange.'],
  },
  LH: {
    name: 'FailedLocalHealthCheck',
    summary: 'The health check filter of the proxy failed; the client gets 503.',
    causes: ['The proxy is draining.'],
    steps: ['See whether the proxy is stopping: `gatewright nodes`.'],
  },
  DI: {
    name: 'DelayInjected',
    summary: 'A delay was added by fault injection.',
    causes: ['A filter of the route or listener asks for it.'],
    steps: ['Nothing, if that is meant; else remove the filter.'],
  },
  FI: {
    name: 'FaultInjected',
    summary: 'The proxy answered the request with an error, as its configuration asks for; no backend was asked.',
    causes: [
      'A policy of the route or its Gateway is not valid, or something that it names is missing: its targets are answered 500 or 503.',
      'A filter of the route or listener injects faults.',
    ],
    steps: [
      'See whether a policy is not accepted: `gatewright status`, `gatewright get accesspolicies`.',
      'If faults are injected on purpose, nothing; else remove the filter.',
    ],
  },
  RL: {
    name: 'RateLimited',
    summary: 'A rate limit rejected the request; the client gets 429.',
    causes: ['The client sends more than the policy allows.', 'A token budget of an AI route is used up.'],
    steps: ['Wait for the next interval, or raise the limit of the policy.'],
  },
  RLSE: {
    name: 'RateLimitServiceError',
    summary: 'The rate limit service could not be asked, and the request was rejected.',
    causes: ['The service is not running, or not reachable from the proxy.'],
    steps: ['See the endpoints and the log of the rate limit service.'],
  },
  UAEX: {
    name: 'UnauthorizedExternalService',
    summary:
      'External authorization denied the request, or could not be asked; the client gets 403 or what the service answers.',
    causes: [
      'The authorization service denied it.',
      'The service is not reachable or too slow, and the request is denied for safety.',
    ],
    steps: [
      'Read the log of the authorization service.',
      'See the endpoints of the backend of the ExternalAuth filter.',
    ],
  },
  IH: {
    name: 'InvalidEnvoyRequestHeaders',
    summary: 'A header that Envoy checks strictly has an invalid value; the client gets 400.',
    causes: ['A client sent an `x-envoy-*` header with a bad value.'],
    steps: ['Remove or correct the header in the client.'],
  },
  SI: {
    name: 'StreamIdleTimeout',
    summary: 'No data was sent for the idle timeout, so the stream was ended; the client gets 408 or 504.',
    causes: [
      'A client stopped sending, or a stream is silent for long, such as server-sent events without a heartbeat.',
    ],
    steps: ['Send heartbeats, or raise the idle timeout.'],
  },
  DPE: {
    name: 'DownstreamProtocolError',
    summary: 'The client broke the HTTP protocol; it gets 400 or its connection is closed.',
    causes: ['A scanner, a broken client, or TLS sent to a plain port.'],
    steps: ['Read `%RESPONSE_CODE_DETAILS%` in the access log; correct the client.'],
  },
  UPE: {
    name: 'UpstreamProtocolError',
    summary: 'The backend broke the HTTP protocol; the client gets 502.',
    causes: [
      'The port speaks another protocol than Envoy uses with it.',
      'The backend sends invalid headers or lengths.',
    ],
    steps: ['Check `appProtocol` of the port of the Service.', backendLogs],
  },
  UMSDR: {
    name: 'UpstreamMaxStreamDurationReached',
    summary: 'The request to the backend reached its longest duration.',
    causes: ['`timeouts` of the rule, or the gRPC deadline of the client, is shorter than the request takes.'],
    steps: ['Raise the timeout or the deadline, or shorten the exchange.'],
  },
  RFCF: {
    name: 'ResponseFromCacheFilter',
    summary: 'The answer came from the cache of the proxy.',
    causes: ['A cache filter has the answer.'],
    steps: ['Nothing to do.'],
  },
  NFCF: {
    name: 'NoFilterConfigFound',
    summary: 'A filter’s configuration had not arrived at the proxy; the client gets 500 or the connection is closed.',
    causes: ['The proxy has just started, or rejects that configuration.'],
    steps: ['See what the proxy rejects: `gatewright nodes`.'],
  },
  OM: {
    name: 'OverloadManagerTerminated',
    summary: 'The proxy is overloaded and ended the request.',
    causes: ['The proxy is short of memory or has too many connections.'],
    steps: ['Raise the memory limit of the proxy, or run more of them.'],
  },
  DF: {
    name: 'DnsResolutionFailed',
    summary: 'The name of the backend cannot be resolved; the client gets 503.',
    causes: ['The name of an external backend does not exist, or the DNS server does not answer.'],
    steps: ['Resolve the name in a pod beside the proxy, and correct the hostname or the DNS.'],
  },
  DO: {
    name: 'DropOverload',
    summary:
      'The request was dropped because the endpoints of the backend are marked as overloaded; the client gets 503.',
    causes: ['The load assignment asks for a share of requests to be dropped.'],
    steps: ['See the load of the backend, and add endpoints.'],
  },
  UDO: {
    name: 'UnconditionalDropOverload',
    summary: 'Every request to the backend is dropped because it is marked as overloaded; the client gets 503.',
    causes: ['The load assignment asks for all requests to be dropped.'],
    steps: ['See the load of the backend, and add endpoints.'],
  },
};
