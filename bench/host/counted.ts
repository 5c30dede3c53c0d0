import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { namespace, type World } from '../peer/world.ts';

/** What the API server knows, then every change of it. */
const untilEnded = { resourceVersion: '0', timeoutSeconds: 3600, idleMs: 3_600_000 };

/** How many routes a Gateway reports, as a watch of it sees. */
export class Counted implements Disposable {
  /** How many there are at most. */
  most = 1;
  /** Whether they become more. */
  growing = true;
  wrong = 0;
  readonly #world: World;
  readonly #gateway: string;
  readonly #end = new AbortController();
  #count: number | undefined;
  #changedAt = 0;

  constructor(world: World, gateway: string) {
    this.#world = world;
    this.#gateway = gateway;
    void this.#watch();
  }

  /** There are none, and what was seen so far does not count. */
  begin(): void {
    this.most = 0;
    this.wrong = 0;
  }

  /** @returns when it was seen, by `performance.now()` */
  async becomes(count: number): Promise<number> {
    const { patience } = this.#world;
    await patience.until(`${count} routes counted`, () => Promise.resolve(this.#count === count));
    return this.#changedAt;
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#end;
    const watched = { namespace, fieldSelector: `metadata.name=${this.#gateway}`, signal, ...untilEnded };
    while (!signal.aborted)
      await this.#world.api.client
        .watch(kinds.Gateway, watched, ({ object }) => this.#see(object as Gateway))
        .catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
  }

  #see({ status }: Gateway): void {
    const count = status?.listeners?.[0]?.attachedRoutes;
    if (count === undefined || count === this.#count) return;
    const before = this.#count ?? count;
    if (count > this.most || (this.growing ? count < before : count > before)) this.wrong += 1;
    this.#count = count;
    this.#changedAt = performance.now();
  }
}

interface Gateway extends KubernetesObject {
  readonly status?: { readonly listeners?: readonly { readonly attachedRoutes: number }[] };
}
