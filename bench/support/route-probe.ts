import { Agent } from 'node:http';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { type KubeClient, resourcePath } from '../../src/kube/index.ts';
import { until } from '../../test/support/until.ts';
import { statusOf } from './ask.ts';
import { isAccepted, type WithParents } from './conditions.ts';
import { Patience } from './patience.ts';

/** Requests to the API server under way at once. */
const writers = 16;

export interface ProbedGateway {
  readonly kube: KubeClient;
  readonly namespace: string;
  /** Name of the Gateway in that namespace. */
  readonly gateway: string;
  /** Where it answers HTTP. */
  readonly address: string;
  readonly port: number;
  /** The Service in that namespace that all routes lead to. */
  readonly backend: { readonly name: string; readonly port: number };
  /** How long to wait for one thing; ten minutes when left out. */
  readonly patience?: Patience;
}

/** The first route of all. */
export const readyRoute = { name: 'ready', host: 'ready.example.com' };

/** What was seen of a new route until it answered. */
export interface NewRoute {
  /** When the API server answered, by `performance.now()`. */
  readonly answeredAt: number;
  readonly asked: number;
  /** Answers that were neither 200 nor 404. */
  readonly surprises: number;
}

/** Writes HTTPRoutes by number, each on a host of its own, and asks the gateway for them. */
export class RouteProbe {
  readonly #on: ProbedGateway;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #patience: Patience;
  /** Where the gateway answers HTTP. */
  readonly address: string;
  readonly port: number;

  constructor(on: ProbedGateway) {
    this.#on = on;
    this.#patience = on.patience ?? new Patience(10);
    this.address = on.address;
    this.port = on.port;
  }

  /** Waits until the gateway forwards a first request. */
  async ready(): Promise<void> {
    await this.put(readyRoute.name, readyRoute.host);
    await this.answersOn(readyRoute.host);
  }

  /** Adds routes until there are `to`. */
  async write(from: number, to: number): Promise<void> {
    const numbers = Array.from({ length: to - from }, (_, at) => from + at).values();
    const write = async () => {
      for (const at of numbers) await this.put(nameOf(at), hostOf(at));
    };
    await Promise.all(Array.from({ length: writers }, write));
  }

  /** Adds routes until there are `to`, and waits until the last one answers and all are accepted. */
  async load(from: number, to: number) {
    if (to <= from) return {};
    const began = performance.now();
    await this.write(from, to);
    const applied = performance.now();
    await this.answers(to - 1);
    const answered = performance.now();
    await this.#patience.untilAll('all routes accepted', to, 'routes', () => this.#accepted());
    return {
      applyAllMs: Math.round(applied - began),
      lastAnswersMs: Math.round(answered - applied),
      allAcceptedMs: Math.round(performance.now() - applied),
    };
  }

  /** Waits until the route of that number answers 200. */
  async answers(number: number): Promise<void> {
    await this.answersOn(hostOf(number));
  }

  /** Waits until that host answers 200. */
  async answersOn(host: string): Promise<void> {
    await this.#patience.until(`${host} answers`, async () => (await this.ask(host)) === 200);
  }

  /** Applies a route and asks without a pause until it answers 200; also counts answers, and those that are neither 200 nor 404. */
  async applyAndAsk(name: string, host: string): Promise<NewRoute> {
    let answeredAt: number | undefined;
    const applied = this.put(name, host).then(() => {
      answeredAt = performance.now();
    });
    const check = this.#patience.begin('a new route answers');
    let surprises = 0;
    let asked = 0;
    for (;;) {
      const status = await this.ask(host);
      asked += 1;
      if (status === 200) break;
      if (status !== 404) surprises += 1;
      check();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const now = performance.now();
    await applied;
    // The answer of the API server may come after the route works: then the gateway waited for nothing.
    return { answeredAt: Math.min(answeredAt ?? now, now), asked, surprises };
  }

  /** Applies a route of one host, to the backend unless other rules are given. */
  put(name: string, host: string, rules?: readonly object[]): Promise<unknown> {
    const {
      kube,
      namespace,
      gateway,
      backend: { name: to, port },
    } = this.#on;
    const toBackend = [{ backendRefs: [{ name: to, port }] }];
    const spec = { parentRefs: [{ name: gateway }], hostnames: [host], rules: rules ?? toBackend };
    const metadata = { name, namespace };
    const route: KubernetesObject = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata, spec };
    return kube.apply(kinds.HTTPRoute, route, { timeoutMs: 100_000 });
  }

  async removeRoute(name: string, host: string): Promise<void> {
    await this.#on.kube.delete(kinds.HTTPRoute, { namespace: this.#on.namespace, name });
    await this.#patience.until('a removed route is gone', async () => (await this.ask(host)) === 404);
  }

  /** Removes all routes of the namespace, and waits until the gateway has none. */
  async removeAll(): Promise<void> {
    const { kube, namespace } = this.#on;
    await kube.json({ method: 'DELETE', path: resourcePath(kinds.HTTPRoute, namespace) }, { timeoutMs: 600_000 });
    const left = async () => (await kube.list(kinds.HTTPRoute, { namespace })).length;
    await until('the routes to be gone', async () => (await left()) === 0 || undefined, 600_000);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** The status that the gateway answers for that host, and path if not `/`; 0 when there is no answer. */
  ask(host: string, path?: string): Promise<number> {
    return statusOf(this, host, this.#agent, 2000, path);
  }

  async #accepted(): Promise<number> {
    const routes = await this.#on.kube.list<Route>(kinds.HTTPRoute, { namespace: this.#on.namespace });
    return routes.filter((route) => isLoad(route) && isAccepted(route)).length;
  }
}

export const nameOf = (number: number): string => `load-${number}`;
export const hostOf = (number: number): string => `load-${number}.example.com`;

const isLoad = ({ metadata }: Route): boolean => metadata.name.startsWith('load-');

interface Route extends WithParents {
  readonly metadata: { readonly name: string };
}
