import type { SpanExporter } from '../../spans/index.ts';
import { type Built, ChangeSpans, type Rejected } from './change-spans.ts';
import { type Answered, requestSpan } from './request-span.ts';

export interface ControlPlaneSpansOptions {
  readonly exporter: Pick<SpanExporter, 'add'>;
  readonly samplingPercent: number;
}

/** What the control plane does, as spans. It is called when something is over, and keeps nothing waiting. */
export class ControlPlaneSpans {
  readonly #options: ControlPlaneSpansOptions;
  readonly #changes: ChangeSpans;

  constructor(options: ControlPlaneSpansOptions) {
    this.#options = options;
    this.#changes = new ChangeSpans(options);
  }

  built(build: Built): void {
    this.#changes.built(build);
  }

  /** A proxy has applied a snapshot, or a newer one. */
  applied(snapshot: string, proxy: { readonly nodeId: string; readonly cluster: string }): void {
    this.#changes.applied(snapshot, proxy);
  }

  /** All proxies that a snapshot changes something for have applied it. */
  converged(snapshot: string, proxies: number): void {
    this.#changes.converged(snapshot, proxies);
  }

  rejected(rejected: Rejected): void {
    this.#changes.rejected(rejected);
  }

  answered(request: Answered): void {
    const span = requestSpan(request, this.#options.samplingPercent);
    if (span) this.#options.exporter.add(span);
  }
}
