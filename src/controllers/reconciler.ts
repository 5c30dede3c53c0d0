import type { ResourceEvent } from '../sources/index.ts';

/** Takes the events of one kind into the graph, and does nothing else. */
export interface Reconciler {
  /** Whether something has to be built because of the event. */
  reconcile(event: ResourceEvent): boolean;
}
