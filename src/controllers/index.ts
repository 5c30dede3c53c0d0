/** One reconciler for each kind: takes events into the graph, nothing else. */
export { type ControllersOptions, createControllers } from './controllers.ts';
export type { Reconciler } from './reconciler.ts';
