/** Modules that Envoy runs: the control plane sends them, the agent keeps them as files. */
export { ModuleFiles } from './module-files.ts';
