/**
 * The intermediate representation: what each proxy must do, free of Kubernetes and free of Envoy. Imports nothing of
 * ours. Made by `graph`, translated by `translate`, shown by `admin`.
 */

export {
  type Access,
  type AccessLevel,
  type AccessPart,
  type AnyOf,
  accessLevels,
  accessParts,
  type Csrf,
  type ForwardAuth,
  type ListenerAccess,
  type RouteAccess,
  type SignIn,
  type TableAccess,
  type TableGuards,
  type TableLevel,
  tableLevels,
} from './access.ts';
export type { AiChoice, AiCredential, AiModel, AiRoute, AiSchema, AiService, AiShare, AiStep } from './ai.ts';
export { allChanges } from './all-changes.ts';
export { type AskingPart, accessWaits, asksServer, partWaits, waitingParts } from './asks-server.ts';
export type { AccessCondition, Authorization, AuthorizationRule } from './authorization.ts';
export type {
  Backend,
  BackendPatch,
  BackendProtocol,
  BackendTls,
  Credential,
  Endpoint,
  Endpoints,
  LoginSecrets,
  ModuleCode,
  NamedServers,
  OwnCertificate,
  RetryBudget,
  SubjectName,
} from './backend.ts';
export type {
  ActiveCheck,
  BackendLimits,
  BackendTimeouts,
  BackendTuning,
  CertificatePins,
  ConnectionSettings,
  HashKey,
  HealthProbe,
  LoadBalancer,
  NameSettings,
  PassiveCheck,
  SlowStart,
  TcpKeepalive,
  TlsTuning,
} from './backend-tuning.ts';
export type {
  ClientLimits,
  ClientSettings,
  ClientTimeouts,
  ForwardedHeader,
  ForwardedHeaders,
  HeaderCase,
  Http1Settings,
  Http2Keepalive,
  Http2Settings,
  OtlpReceiver,
  PathSettings,
  RequestIds,
  SpanAttribute,
  SpanTag,
  TlsParameters,
  TlsVersion,
  Tracing,
  TrustedProxies,
} from './client-settings.ts';
export { forwardingHeaders, mostForwarded } from './client-settings.ts';
export type { CertificateName, Cidr, ClientCertificates, ClientIPs, ClientLocation } from './clients.ts';
export type { ApiKeys, BasicAuth, CredentialSource, Jwt, JwtProvider } from './credentials.ts';
export {
  addDigest,
  type Digest,
  digestOf,
  digestOfText,
  emptyDigest,
  formatDigest,
  rememberDigest,
  removeDigest,
} from './digest.ts';
export { type Expression, type ExpressionFunction, expressionFunctions } from './expression.ts';
export {
  type Extension,
  type ExtensionPlace,
  extensionPlaces,
  type Module,
  mayNotBeMissing,
  type ProcessedBody,
  type ProcessedHalf,
  type Processor,
  type Script,
} from './extension.ts';
export type { ExternalAuth } from './external-auth.ts';
export type {
  EditedHeader,
  HeaderEdit,
  HeaderEdits,
  HeaderVariable,
  InjectedCredential,
  ValuePart,
} from './header-edits.ts';
export { hostForm } from './host-form.ts';
export {
  type AskedAs,
  type BackendKeyParts,
  type BackendSource,
  type BackendVariant,
  backendKey,
  bucketId,
  demandKey,
  namespaceOfSource,
  ownFleetKey,
  parseBackendKey,
  parseFleetKey,
  parsePortKey,
  parseRouteId,
  patchId,
  placeOfTable,
  policyOfBucket,
  policyOfDemand,
  policyOfPatch,
  routeId,
  sharedFleetKey,
  sharedFleetOf,
  sharedTable,
  sourceOfRoute,
  type Transport,
} from './keys.ts';
export { maxAuthChain } from './limits.ts';
export type {
  AccessLog,
  AccessLogSinks,
  BindAddress,
  Chain,
  ChainClients,
  ChainRevocation,
  ChainTls,
  ClosedChain,
  GeoField,
  GeoLookup,
  HttpChain,
  Listener,
  ListenerPatch,
  LogCondition,
  StreamChain,
} from './listener.ts';
export { chainKey, geoFields } from './listener.ts';
export { literalPattern } from './literal-pattern.ts';
export type { LoginCondition, LoginCookies, LoginLifetimes, Oidc } from './login.ts';

export { isOwnHeader, ownHeaderPrefix } from './own-headers.ts';
export { ambiguousPath, deniesByPath, looksAtPaths, withPathParameters } from './path-parameters.ts';
export type { EndpointPicker, PickerMode, Pool } from './pool.ts';
export {
  comparisonsOf,
  countByIdentity,
  type LimitBucket,
  type LimitCost,
  type LimitEntry,
  type LimitKey,
  type LimitMatch,
  type LimitPhase,
  type LimitServer,
  type ListenerLimits,
  limitBackends,
  limitPhases,
  limitStatuses,
  type NamedPresence,
  type RateLimit,
  type RouteLimits,
  type TableLevelLimits,
  type TableLimits,
  type TargetLimits,
} from './rate-limits.ts';
export type {
  DirectAnswer,
  ForwardAction,
  PathRewrite,
  RedirectAction,
  RegexReplacement,
  RespondAction,
  Retry,
  RetryEvent,
  RetryLimit,
  Route,
  RouteAction,
  RoutePatch,
  RouteRule,
  RuleLog,
  RuleSettings,
  RuleTracing,
  UrlRewrite,
  WeightedBackend,
} from './route.ts';
export type * from './route-filters.ts';
export type { NamedMatch, PathMatch, RouteMatch, ValueMatch } from './route-match.ts';
export { misdirectedHosts, type RouteTable, type VirtualHost, virtualHostName } from './route-table.ts';
export type { Secret } from './secret.ts';
export { Sensitive } from './sensitive.ts';
export type { Session } from './session.ts';
export { type Change, emptySnapshot, type Fleet, type Snapshot } from './snapshot.ts';
export { digestOfRoutes } from './source.ts';
export type { StreamHost, StreamShare, StreamSources, StreamTable } from './stream-table.ts';
export { canGoOff, letsPass, neededOff, partsSwitchedOff, switchedOffParts } from './switched-off-parts.ts';
export type {
  Admission,
  AskedPage,
  Bandwidth,
  Buffering,
  Compression,
  CookieChanges,
  ErrorPage,
  Faults,
  LocationChange,
  RequestBody,
  RouteTraffic,
  TableTraffic,
  TrafficFilter,
  TrafficFilters,
  TrafficPart,
  TrafficSources,
} from './traffic.ts';
export {
  asksForPages,
  extensionKey,
  isExtensionKey,
  policyOfTraffic,
  trafficBackends,
  trafficKey,
} from './traffic.ts';
export { opensTunnel } from './tunnels.ts';
