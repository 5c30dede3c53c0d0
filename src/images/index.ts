/** Pulls modules in images of OCI registries, and reads those in files, for all policies that name them, and says what became of it. */
export { ImageCache } from './image-cache.ts';
export { ImagePuller } from './image-puller.ts';
export { ModuleFiles } from './module-files.ts';
export { PullFault } from './pull-fault.ts';
export { type PullClient, pullModule } from './pull-module.ts';
