import type { SpanExporter } from '../../spans/index.ts';
import { Trace } from './trace.ts';

/** A build that is published. Times are milliseconds of `performance.now`. */
export interface Built {
  /** Id of the snapshot. */
  readonly snapshot: string;
  /** When the first of the changes came; undefined: no object changed. */
  readonly since: number | undefined;
  readonly began: number;
  /** What changed, at most the first 20. */
  readonly changed: readonly { readonly kind: string; readonly namespace: string; readonly name: string }[];
  readonly changedCount: number;
  /** How many resources of proxies it changes, and how many statuses. */
  readonly changes: number;
  readonly statuses: number;
}

/** What a proxy does not take. */
export interface Rejected {
  readonly nodeId: string;
  readonly cluster: string;
  /** What it is made of, such as `route` and `httproute/NAMESPACE/NAME`. */
  readonly kind: string;
  readonly key: string;
  /** The proxy's words. */
  readonly message: string;
}

interface Followed {
  readonly trace: Trace;
  readonly publishedAt: number;
  /** So many more proxies have a span of their own. */
  spansLeft: number;
}

/** As many as the API lists. */
const mostFollowed = 20;
/** There may be ten thousand proxies. The last of them has no span of its own: `converge` ends with it. */
const mostProxies = 20;
const mostMessage = 300;

/**
 * A trace for each change: `change` from the watch event to the publication, `build` in it, then `apply` for each of the first proxies
 * and `converge` until the last one.
 */
export class ChangeSpans {
  readonly #exporter: Pick<SpanExporter, 'add'>;
  readonly #samplingPercent: number;
  /** By snapshot, the oldest first. */
  readonly #followed = new Map<string, Followed>();

  constructor({ exporter, samplingPercent }: { exporter: Pick<SpanExporter, 'add'>; samplingPercent: number }) {
    this.#exporter = exporter;
    this.#samplingPercent = samplingPercent;
  }

  built(build: Built): void {
    const trace = Trace.begin(this.#samplingPercent);
    this.#followed.delete(build.snapshot);
    if (!trace) return;
    const { snapshot, began, changed } = build;
    const now = performance.now();
    const counts = { 'gatewright.changes': build.changes, 'gatewright.statuses': build.statuses };
    this.#exporter.add(
      trace.root({
        name: 'change',
        from: build.since ?? began,
        to: now,
        attributes: {
          'gatewright.snapshot': snapshot,
          'gatewright.changed': changed.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`),
          'gatewright.changed.count': build.changedCount,
        },
      }),
    );
    this.#exporter.add(trace.child({ name: 'build', from: began, to: now, attributes: counts }));
    this.#follow(snapshot, { trace, publishedAt: now, spansLeft: mostProxies });
  }

  applied(snapshot: string, { nodeId, cluster }: { readonly nodeId: string; readonly cluster: string }): void {
    const followed = this.#followed.get(snapshot);
    if (!followed || followed.spansLeft === 0) return;
    followed.spansLeft -= 1;
    this.#add(followed, 'apply', { 'gatewright.node': nodeId, 'gatewright.cluster': cluster });
  }

  converged(snapshot: string, proxies: number): void {
    const followed = this.#followed.get(snapshot);
    if (followed) this.#add(followed, 'converge', { 'gatewright.nodes': proxies });
  }

  /** In the trace of the newest change: a proxy says that it rejects something, not since when. */
  rejected({ nodeId, cluster, kind, key, message }: Rejected): void {
    const followed = [...this.#followed.values()].at(-1);
    if (!followed) return;
    const rejected = { 'gatewright.rejected.kind': kind, 'gatewright.rejected.key': key };
    const attributes = { 'gatewright.node': nodeId, 'gatewright.cluster': cluster, ...rejected };
    this.#add(followed, 'reject', attributes, message.slice(0, mostMessage));
  }

  #add({ trace, publishedAt }: Followed, name: string, attributes: Record<string, string | number>, error?: string) {
    this.#exporter.add(trace.child({ name, from: publishedAt, to: performance.now(), attributes, error }));
  }

  #follow(snapshot: string, followed: Followed): void {
    this.#followed.set(snapshot, followed);
    const [oldest] = this.#followed.keys();
    if (this.#followed.size > mostFollowed && oldest !== undefined) this.#followed.delete(oldest);
  }
}
