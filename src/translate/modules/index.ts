/** Modules for filters, which the agent keeps for Envoy. */
export { moduleResources } from './module-resources.ts';
