/**
 * xDS v3 server: versions, cache, subscriptions, streams, ACK and NACK, one stream per fleet and node id. Knows Envoy's protocol
 * and no Kubernetes; takes publications, changes nothing of them.
 */
export {
  type Admission,
  AdmissionError,
  type Authenticator,
  type ClientCertificate,
  type NodeClaim,
  type PeerCredentials,
} from './admission.ts';
export { clientText } from './client-text.ts';
export { decodeManifest, manifestName, manifestResource, type NodeManifest } from './manifest.ts';
export {
  accessLogService,
  adsPaths,
  adsService,
  type RawMethod,
  rateLimitService,
  usagePaths,
} from './methods/index.ts';
export { type TerminationReason, terminationReasons, type XdsMetrics, xdsMetrics } from './metrics.ts';
export type { Nack, NodeEvent, NodeListener } from './node-event.ts';
export { foremost, type NodeRef, type NodesView, type NodeView, nodeKey } from './node-view.ts';
export {
  decodeDeltaRequest,
  decodeDeltaResponse,
  decodeSotwRequest,
  decodeSotwResponse,
  encodeDeltaRequest,
  encodeSotwRequest,
  ProtocolError,
} from './protocol.ts';
export type { Publication, SnapshotManifest } from './publication.ts';
export type { ClientRefusal } from './refusals.ts';
export type { UsageKeeper } from './usage-services.ts';
export type { CertificateSource, ServingCertificate } from './xds-listener.ts';
export type { XdsLogger } from './xds-logger.ts';
export { XdsServer, type XdsServerOptions } from './xds-server.ts';
