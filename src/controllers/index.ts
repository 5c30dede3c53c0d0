/** The kinds that are read: a module for each, and what takes the events of a source to them. */
export { fetchedKeysOf } from './accesspolicy/index.ts';
export { createControllers } from './controllers.ts';
export { imageFault, imageOf, notPulled, notRead, pulledModuleCode } from './extensionpolicy/index.ts';
export { controllerMetrics } from './metrics.ts';
export { reconcile } from './reconcile.ts';
export { kindModules } from './registry.ts';
