/** A control plane over a directory, with proxies of its own or with those that connect from elsewhere. */
export { startDirectoryControlPlane } from './directory-control-plane.ts';
export { type RunOptions, startRun } from './run.ts';
