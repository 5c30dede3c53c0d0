/**
 * Patches of the pods of proxies: whether one may be applied, and the pod with it. The graph judges, and the infrastructure applies; both read the same
 * rules here. Imports nothing of ours.
 */
export { podPatchFault } from './fault.ts';
export { type Json, patched } from './merge.ts';
export { agentContainer, foreignEnvoyContainer } from './own-parts.ts';
