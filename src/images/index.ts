/** Pulls modules in images of OCI registries, for all policies that name them, and says what became of it. */
export { ImagePuller } from './image-puller.ts';
export { PullFault } from './pull-fault.ts';
export { type PullClient, pullModule } from './pull-module.ts';
