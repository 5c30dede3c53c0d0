import { isDeepStrictEqual } from 'node:util';
import type { InfrastructureState } from './state.ts';

export interface ReportsOptions {
  /** Called whenever the state of a Gateway's proxies changed, and once for each Gateway that was asked for. */
  readonly onState: (gatewayKey: string, state: InfrastructureState) => void;
  /** Called with the names of the pods that run a Gateway's proxies, ready or not, when they changed; undefined: they are not known. */
  readonly onPods?: ((gatewayKey: string, names: ReadonlySet<string> | undefined) => void) | undefined;
}

/** What was reported of each Gateway's proxies, so that only changes are. */
export class Reports {
  readonly #options: ReportsOptions;
  readonly #states = new Map<string, InfrastructureState>();
  readonly #pods = new Map<string, ReadonlySet<string>>();

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  stateOf(gatewayKey: string): InfrastructureState | undefined {
    return this.#states.get(gatewayKey);
  }

  report(gatewayKey: string, state: InfrastructureState, pods: ReadonlySet<string> | undefined): void {
    this.#reportPods(gatewayKey, pods);
    if (isDeepStrictEqual(state, this.#states.get(gatewayKey))) return;
    this.#states.set(gatewayKey, state);
    this.#options.onState(gatewayKey, state);
  }

  /** The proxies are no longer asked for. */
  forget(gatewayKey: string): void {
    this.#states.delete(gatewayKey);
    this.#reportPods(gatewayKey, undefined);
  }

  #reportPods(gatewayKey: string, pods: ReadonlySet<string> | undefined): void {
    if (isDeepStrictEqual(pods, this.#pods.get(gatewayKey))) return;
    if (pods === undefined) this.#pods.delete(gatewayKey);
    else this.#pods.set(gatewayKey, pods);
    this.#options.onPods?.(gatewayKey, pods);
  }
}
