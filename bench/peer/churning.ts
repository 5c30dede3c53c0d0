import { setTimeout as delay } from 'node:timers/promises';
import { median, percentile } from '../support/figures.ts';
import { changeEndpoints } from './endpoint-changes.ts';
import type { Sample } from './floors.ts';
import type { Subject } from './subject.ts';
import type { World } from './world.ts';

const sampleMs = 2000;

/** Changes routes and endpoints side by side for a while, asks for new routes, and looks at memory. */
export class Churn {
  readonly #world: World;
  readonly #subject: Subject;
  readonly #routes: number;
  readonly #perSecond: number;
  readonly #lastsMs: number;
  readonly #newRouteMs: number[] = [];
  readonly #memory: Sample[] = [];
  #endsAt = 0;
  #changes = 0;

  /** `routes`: how many `load-N` there are. */
  constructor(
    world: World,
    subject: Subject,
    options: { readonly routes: number; readonly minutes: number; readonly perSecond: number },
  ) {
    this.#world = world;
    this.#subject = subject;
    this.#routes = options.routes;
    this.#perSecond = options.perSecond;
    this.#lastsMs = options.minutes * 60_000;
  }

  async run() {
    this.#endsAt = performance.now() + this.#lastsMs;
    try {
      await Promise.all([this.#changeRoutes(), this.#moveEndpoints(), this.#addRoutes(), this.#look()]);
    } finally {
      // When one gives up, the others end too.
      this.#endsAt = 0;
    }
    const times = this.#newRouteMs;
    return {
      changes: this.#changes,
      newRouteMs: { count: times.length, p50: median(times), p99: percentile(times, 0.99) },
      memory: this.#memory,
    };
  }

  get #goesOn(): boolean {
    return performance.now() < this.#endsAt;
  }

  async #changeRoutes(): Promise<void> {
    for (let at = 0; this.#goesOn; at += 1) {
      await this.#subject.probe.put(`load-${at % this.#routes}`, `churn-${at}.example.com`);
      this.#changes += 1;
      await delay(1000 / this.#perSecond);
    }
  }

  async #moveEndpoints(): Promise<void> {
    while (this.#goesOn) {
      await changeEndpoints(this.#world, 2);
      this.#changes += 2;
      await delay(2000);
    }
  }

  async #addRoutes(): Promise<void> {
    for (let at = 0; this.#goesOn; at += 1) {
      const host = `probe-new-${at}.example.com`;
      const began = performance.now();
      await this.#subject.probe.applyAndAsk('probe', host);
      this.#newRouteMs.push(performance.now() - began);
      await this.#subject.probe.removeRoute('probe', host);
      this.#changes += 2;
      await delay(5000);
    }
  }

  async #look(): Promise<void> {
    const began = performance.now();
    while (this.#goesOn) {
      const { controlPlane } = await this.#subject.processes();
      this.#memory.push({ minutes: (performance.now() - began) / 60_000, mb: controlPlane.rssMb });
      await delay(sampleMs);
    }
  }
}
