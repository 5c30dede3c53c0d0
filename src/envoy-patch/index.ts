/**
 * Patches of Envoy's messages: what users may change, and how it is laid over what the translation made. It alone knows both the words of
 * users and the definitions of Envoy.
 */
export { patchFaults } from './faults.ts';
export { mergePatch } from './merge.ts';
export type { PatchPart } from './parts.ts';
