/**
 * Envoy's protobuf types, and our own `Snapshot`, under their Envoy names. Where two share a name, the aliases are in
 * scripts/generate/envoy-protos.ts. Imports nothing of ours, and nothing here knows Kubernetes.
 */

export * from './gen/index.js';
export { packAny } from './pack-any.ts';
export { type TypeUrl, typeUrls } from './wire/index.ts';
