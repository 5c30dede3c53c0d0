import type { XdsMetrics } from '../metrics.ts';
import type { NodeEvent, NodeListener } from '../nodes/node-event.ts';
import type { XdsLogger } from './xds-logger.ts';

/** Who hears of everything that happens to nodes: the metrics, then each listener. */
export class NodeListeners {
  readonly #metrics: Pick<XdsMetrics, 'nodeForgotten' | 'nodeReady'>;
  readonly #logger: XdsLogger;
  readonly #listeners = new Set<NodeListener>();

  constructor(metrics: Pick<XdsMetrics, 'nodeForgotten' | 'nodeReady'>, logger: XdsLogger) {
    this.#metrics = metrics;
    this.#logger = logger;
  }

  /** Returns how to stop it. */
  add(listener: NodeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls all of them, synchronously. One that throws keeps it from no other. */
  emit(event: NodeEvent): void {
    if (event.kind === 'forgotten') this.#metrics.nodeForgotten(event.node);
    else this.#metrics.nodeReady(event.node, event.node.ready);
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#logger.error({ err: error, event: event.kind }, 'a listener for node events failed');
      }
    }
  }
}
