/**
 * xDS v3 server: versions, cache, subscriptions, streams, ACK and NACK, one stream per fleet and node id. Knows Envoy's protocol
 * and no Kubernetes; takes publications, changes nothing of them.
 */

export { clientText } from './client-text.ts';
export {
  accessLogService,
  adsPaths,
  adsService,
  type RawMethod,
  rateLimitService,
  usagePaths,
} from './methods/index.ts';
export { type TerminationReason, terminationReasons, type XdsMetrics, xdsMetrics } from './metrics.ts';
export type { Nack, NodeEvent, NodeListener } from './nodes/node-event.ts';
export { foremost, type NodeRef, type NodesView, type NodeView, nodeKey } from './nodes/node-view.ts';
export type { ClientRejection } from './rejections/rejections.ts';
export {
  type Admission,
  AdmissionError,
  type Authenticator,
  type ClientCertificate,
  type NodeClaim,
  type PeerCredentials,
} from './server/admission.ts';
export type { UsageKeeper } from './server/usage-services.ts';
export type { CertificateSource, ServingCertificate } from './server/xds-listener.ts';
export type { XdsLogger } from './server/xds-logger.ts';
export { XdsServer } from './server/xds-server.ts';
export type { XdsServerOptions } from './server/xds-server-options.ts';
export {
  decodeDeltaRequest,
  decodeDeltaResponse,
  decodeSotwRequest,
  decodeSotwResponse,
  encodeDeltaRequest,
  encodeSotwRequest,
  ProtocolError,
} from './session/protocol.ts';
export type { Publication, SnapshotManifest } from './session/publication.ts';
export { decodeManifest, manifestName, manifestResource, type NodeManifest } from './session/snapshot-marker.ts';
