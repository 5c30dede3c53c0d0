/**
 * xDS v3 server: versions, cache, subscriptions, streams, ACK and NACK, one stream per fleet and node id. Knows Envoy's protocol
 * and no Kubernetes; takes publications, changes nothing of them.
 */

export { clientText } from './client-text.ts';
export { adsPaths, adsService, usagePaths } from './methods/index.ts';
export { type TerminationReason, type XdsMetrics, xdsMetrics } from './metrics.ts';
export type { NodeEvent } from './nodes/node-event.ts';
export { foremost, type NodeRef, type NodesView, type NodeView, nodeKey } from './nodes/node-view.ts';
export {
  type Admission,
  AdmissionError,
  type Authenticator,
  type ClientCertificate,
  type NodeClaim,
} from './server/admission.ts';
export type { TrafficKeeper } from './server/traffic-service.ts';
export type { TrialAnswer, Trier } from './server/triers.ts';
export type { UsageKeeper } from './server/usage-services.ts';
export type { CertificateSource, ServingCertificate } from './server/xds-listener.ts';
export { XdsServer } from './server/xds-server.ts';
export type { XdsServerOptions } from './server/xds-server-options.ts';
export { isForEarlier } from './session/earlier.ts';
export { decodeDeltaResponse, decodeSotwResponse, encodeDeltaRequest, encodeSotwRequest } from './session/protocol.ts';
export type { Publication } from './session/publication.ts';
export { sentFor } from './session/sent-for.ts';
export { decodeManifest } from './session/snapshot-marker.ts';
