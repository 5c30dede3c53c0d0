/** What all of Envoy’s resources have in common: how they are encoded, what they are called, and where Envoy gets them from. */
export {
  type ChainRole,
  guardsName,
  guardsSlot,
  namesSentFor,
  piecesOf,
  slotListsListenerName,
  tableOfScope,
} from '../../contracts/index.ts';
export { adsSource } from './ads-source.ts';
export { bufferLimitBytes } from './buffer-limit.ts';
export { celFormatter } from './cel-formatter.ts';
export { celLogFilter, countingLog, type LogCounter } from './counting-log.ts';
export type {
  ChainDemand,
  ChainKind,
  ChainList,
  EnvoyResource,
  GatewayChange,
  Origin,
  PreparedFor,
  Provenance,
  Trial,
} from './envoy-resource.ts';
export { genericSecret } from './generic-secret.ts';
export { hashPolicy } from './hash-policy.ts';
export { type HttpFilter, httpFilter, routerFilter } from './http-filter.ts';
export { http1Options } from './http1.ts';
export { http2Keepalive } from './http2.ts';
export { isEncodable, type LeftOut } from './left-out.ts';
export { formatOfText } from './log-text.ts';
export { fractionOf, million, millionths } from './millionths.ts';
export {
  aiCredentialName,
  aiListenerName,
  aiRouteListenerName,
  aiStepsName,
  backendAuthoritiesName,
  backendCertificateName,
  chainName,
  clientAuthoritiesName,
  clusterName,
  exactScopeKey,
  exactScopeName,
  fallbackScopeKey,
  fallbackScopeName,
  injectedCredentialName,
  invalidCluster,
  listenerName,
  loginSecretName,
  moduleName,
  namedClusterName,
  namedListenerName,
  partScopeKey,
  partScopeName,
  poolListenerName,
  poolStepsName,
  probeScope,
  restOfHost,
  secretName,
  slotListsName,
  streamChainName,
  streamName,
} from './names.ts';
export { edgeFilter, withoutOwnHeaders } from './own-headers.ts';
export { patchOrigin, patchTrial } from './patch-trial.ts';
export { durationOf } from './proto-duration.ts';
export { encodedResource, inPieces, resourceOf } from './resource.ts';
export { askedAgain, elsewhere, nextPriority, notProcessed, retryOnHeader } from './retries.ts';
export { isLoggedByRoute, routeLogMetadata, routeTagsFormat } from './route-log.ts';
export { sanTypes } from './san-types.ts';
export { socketBuffers } from './socket-buffers.ts';
export { customTag, spanNameFormat } from './spans.ts';
export { stringMatcher } from './string-matcher.ts';
export { tcpKeepalive } from './tcp-keepalive.ts';
export { tlsParams } from './tls-params.ts';
