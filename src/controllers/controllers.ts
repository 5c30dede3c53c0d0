import { type Kind, type KindName, kindsRead } from '../gateway-api/index.ts';
import type { Builder, Graph } from '../graph/index.ts';
import type { ResourceEvent, SourceListener } from '../sources/index.ts';
import { reconcile } from './reconcile.ts';

export interface ControllersOptions {
  readonly graph: Graph;
  readonly builder: Builder;
  /** After the graph has taken the event in. `isRelevant`: it may change a build. */
  readonly onEvent?: (event: ResourceEvent, isRelevant: boolean) => void;
  /** The graph could not take an event in (a bug of ours). What it could take of it counts, and so do the events behind it. */
  readonly onFault?: (event: ResourceEvent, error: unknown) => void;
  readonly onAvailability?: (kind: Kind, available: boolean, message: string) => void;
  readonly onNamespace?: (namespace: string, available: boolean, message: string) => void;
  readonly onProblem?: SourceListener['problem'];
  readonly onSynced?: () => void;
  /** The first full list of a kind is in; those that are not yet, by name. */
  /** The kinds that the source reports; by default those that need no switch. */
  readonly kinds?: readonly Kind[];
  readonly onKindSynced?: (missing: ReadonlySet<string>) => void;
  /** What the first build waits for besides; asked for when all lists are in. */
  readonly before?: () => Promise<unknown>;
}

/**
 * Takes a source's events into the graph, wakes the builder for those that matter, and opens it once
 * every kind has sent its first full list.
 */
export function createControllers({
  graph,
  builder,
  onEvent,
  onFault,
  onAvailability,
  onNamespace,
  onProblem,
  onSynced,
  onKindSynced,
  kinds = kindsRead(),
  before = () => Promise.resolve(),
}: ControllersOptions): SourceListener {
  const missing = new Set<string>(kinds.map(({ name }) => name));
  const take = (event: ResourceEvent): boolean => {
    try {
      return reconcile(graph, event.kind.name as KindName, event);
    } catch (error) {
      onFault?.(event, error);
      return true;
    }
  };
  return {
    event(event: ResourceEvent): void {
      const isRelevant = take(event);
      if (isRelevant) builder.changed();
      onEvent?.(event, isRelevant);
    },
    synced(kind: Kind): void {
      if (!missing.delete(kind.name)) return;
      onKindSynced?.(missing);
      if (missing.size > 0) return;
      onSynced?.();
      void before().then(() => builder.open());
    },
    availability(kind, available, message) {
      onAvailability?.(kind, available, message);
    },
    problem(problem, state) {
      onProblem?.(problem, state);
    },
    namespaceAvailability(namespace, available, message) {
      onNamespace?.(namespace, available, message);
    },
  };
}
