/** The agent as a process, and what `run` starts agents with. */
export { localAgentAuthOf } from './agent-auth.ts';
export { startDataPlane } from './data-plane.ts';
export { egressOf } from './egress-of.ts';
export { findEnvoy } from './find-envoy.ts';
export { metricSinksFor } from './metric-sinks.ts';
export { sessionKeyFilesOf } from './session-key-files.ts';
