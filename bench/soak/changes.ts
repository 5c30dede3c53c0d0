import { setTimeout as delay } from 'node:timers/promises';
import { kinds } from '../../src/gateway-api/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import type { Typed } from '../support/apply-all.ts';
import { accessPolicy, endpoints, namespace, rateLimitPolicy, route } from './objects.ts';

/** How many of the load have policies that change; the first ones. */
const withPolicies = 100;

/** Changes objects at a steady rate: of ten, six hosts of routes, an endpoint, two policies, and a route that comes or goes. */
export class Changes {
  count = 0;
  readonly #kube: KubeClient;
  readonly #routes: number;
  readonly #began = performance.now();
  #isOver = false;
  readonly #running: Promise<void>;

  /** `routes`: how many `load-N` there are. */
  constructor(kube: KubeClient, { routes, perSecond }: { readonly routes: number; readonly perSecond: number }) {
    this.#kube = kube;
    this.#routes = routes;
    this.#running = this.#run(perSecond);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(perSecond: number): Promise<void> {
    for (; !this.#isOver; this.count += 1) {
      await this.#change(this.count);
      // Where the machine was slow, what was missed is made up for.
      const dueMs = this.#began + (this.count * 1000) / perSecond - performance.now();
      if (dueMs > 0) await delay(dueMs);
    }
  }

  async #change(at: number): Promise<void> {
    const round = Math.floor(at / 10);
    const target = `load-${round % withPolicies}`;
    switch (at % 10) {
      case 6:
        return this.#apply(endpoints(9 + (round % 2)));
      case 7:
        return this.#apply(accessPolicy(`access-${round % withPolicies}`, target, round));
      case 8:
        return this.#apply(rateLimitPolicy(`rate-${round % withPolicies}`, target, round));
      case 9:
        if (round % 2 === 0) return this.#apply(route('guest', `guest-${round}.test`));
        return this.#kube.delete(kinds.HTTPRoute, { namespace, name: 'guest' });
      default:
        return this.#apply(route(`load-${(round * 6 + (at % 10)) % this.#routes}`, `changed-${at}.test`));
    }
  }

  async #apply(typed: Typed): Promise<void> {
    await this.#kube.apply(...typed, { timeoutMs: 100_000 });
  }
}
