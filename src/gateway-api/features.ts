/** One feature of the Gateway API that we claim. */
export interface Feature {
  /** Its name in GatewayClass.status.supportedFeatures. */
  readonly name: string;
  /** The kind whose users look for it. */
  readonly kind: string;
  /** What it lets a user do, in the words of the Gateway API. */
  readonly summary: string;
}

const of =
  (kind: string) =>
  (name: string, summary: string): Feature => ({ kind, name, summary });
const gateway = of('Gateway');
const http = of('HTTPRoute');
const grpc = of('GRPCRoute');
const tls = of('TLSRoute');
const policy = of('BackendTLSPolicy');

/**
 * The Gateway API features we claim, in one table: the status of a GatewayClass and the page for users are made from it.
 * The conformance suite reads them from the status, so a row here is a promise that its tests pass.
 */
export const features: readonly Feature[] = [
  gateway('Gateway', 'HTTP and HTTPS listeners, several per port by hostname, each with its own status'),
  gateway('GatewayAddressEmpty', 'an entry of `addresses` without a value asks for any address of that type'),
  gateway('GatewayBackendClientCertificate', '`tls.backend.clientCertificateRef`: the certificate shown to backends'),
  gateway(
    'GatewayFrontendClientCertificateValidation',
    '`tls.frontend`: clients must show a certificate of a trusted authority, for all ports or each by itself',
  ),
  gateway(
    'GatewayFrontendClientCertificateValidationInsecureFallback',
    'mode `AllowInsecureFallback`: clients without a valid certificate are let in',
  ),
  gateway(
    'GatewayHTTPListenerIsolation',
    'a request belongs to the most specific listener of its port, and to no other',
  ),
  gateway(
    'GatewayHTTPSListenerDetectMisdirectedRequests',
    'a request over a connection that was opened for another listener is answered 421',
  ),
  gateway(
    'GatewayInfrastructure',
    '`infrastructure`: labels, annotations and `parametersRef` of what is made for a Gateway',
  ),
  gateway('GatewayPort8080', 'listeners on port 8080'),
  gateway(
    'GatewayRouteHostnameIntersectionPrecedence',
    'of routes for one host, the one whose own hostname is the most specific goes first',
  ),
  gateway('GatewayStaticAddresses', '`addresses`: the address that a Gateway asks for, or a status that says why not'),
  of('ListenerSet')('ListenerSet', 'listeners of a Gateway that others declare, in namespaces that it allows'),
  of('ReferenceGrant')('ReferenceGrant', 'references into other namespaces, where these allow it'),
  http('HTTPRoute', 'matches by path and header, weights, header changes, redirects, and statuses for each parent'),
  http('HTTPRoute303RedirectStatusCode', 'redirects with 303'),
  http('HTTPRoute307RedirectStatusCode', 'redirects with 307'),
  http('HTTPRoute308RedirectStatusCode', 'redirects with 308'),
  http('HTTPRouteBackendProtocolH2C', '`appProtocol: kubernetes.io/h2c`: HTTP/2 without TLS to backends'),
  http('HTTPRouteBackendProtocolWebSocket', '`appProtocol: kubernetes.io/ws`: WebSockets to backends'),
  http('HTTPRouteBackendRequestHeaderModification', 'request headers changed for one backend of several'),
  http('HTTPRouteBackendTimeout', '`timeouts.backendRequest`: how long one try may take'),
  http('HTTPRouteBackendURLRewrite', 'the URL rewritten for one backend of several'),
  http(
    'HTTPRouteCORS',
    'the CORS filter, with wildcards and credentials; a preflight finds its rule by the method and the names of headers that it asks for',
  ),
  http('HTTPRouteDestinationPortMatching', '`parentRefs[].port` chooses listeners'),
  http('HTTPRouteHostRewrite', 'the Host rewritten'),
  http('HTTPRouteMethodMatching', 'matches by method'),
  http('HTTPRouteNamedRouteRule', 'rules with names'),
  http('HTTPRouteParentRefPort', '`parentRefs[].port` together with `sectionName`'),
  http('HTTPRoutePathRedirect', 'redirects to another path, whole or by prefix'),
  http('HTTPRoutePathRewrite', 'the path rewritten, whole or by prefix'),
  http('HTTPRoutePortRedirect', 'redirects to another port'),
  http('HTTPRouteQueryParamMatching', 'matches by query parameter'),
  http('HTTPRouteRequestMirror', 'copies of requests to a second backend'),
  http('HTTPRouteRequestMultipleMirrors', 'copies to several backends'),
  http('HTTPRouteRequestPercentageMirror', 'copies of a share of the requests'),
  http('HTTPRouteRequestTimeout', '`timeouts.request`: how long the whole request may take'),
  http('HTTPRouteResponseHeaderModification', 'response headers changed'),
  http('HTTPRouteRetryCodes', '`retry.codes`: answers after which a request is tried again'),
  http('HTTPRouteRetryConnectionError', 'requests tried again after connections failed'),
  http('HTTPRouteSchemeRedirect', 'redirects to another scheme'),
  grpc('GRPCRoute', 'matches by service, method and header'),
  grpc('GRPCRouteNamedRouteRule', 'rules with names'),
  grpc('GRPCRouteRequestHeaderModifier', 'request headers changed'),
  tls('TLSRoute', 'connections passed through by SNI'),
  tls('TLSRouteModeMixed', 'listeners that pass through and listeners that terminate on one port'),
  tls('TLSRouteModeTerminate', 'TLS ended at the gateway, bytes passed on'),
  of('TCPRoute')('TCPRoute', 'connections of a port to backends by weight'),
  of('UDPRoute')('UDPRoute', 'datagrams of a port to backends by weight'),
  policy('BackendTLSPolicy', 'TLS to backends, with the hostname and authorities they are checked by'),
  policy('BackendTLSPolicySANValidation', '`subjectAltNames`: hostnames and URIs that a backend may show instead'),
];

/** Their names in the order that the status wants: sorted. */
export const supportedFeatures: readonly string[] = features.map(({ name }) => name).sort();
