import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { KubeClient, loadKubeConfig, type ResourceType } from '../../src/kube/index.ts';

const namespace = 'gatewright-bench';
const gateway = { name: 'bench', namespace };
const deployments: ResourceType = { group: 'apps', version: 'v1', plural: 'deployments' };
const echo = 'registry.k8s.io/gateway-api/conformance/echo-basic:v0.1.0';
/** Requests to the API server under way at once. */
const writers = 16;

/** One Gateway with one backend in a namespace of its own, and routes by number. */
export class Rig {
  readonly #kube: KubeClient;
  readonly #address: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  private constructor(kube: KubeClient, address: string) {
    this.#kube = kube;
    this.#address = address;
  }

  /** Makes the Gateway and waits until it forwards a request. */
  static async open({ gatewayClass }: { readonly gatewayClass: string }): Promise<Rig> {
    const kube = new KubeClient(loadKubeConfig().kubeConfig, { fieldManager: 'bench' });
    for (const [type, object] of world(gatewayClass)) await kube.apply(type, object);
    const address = await until('the Gateway to have an address', async () => {
      const { status } = await kube.get<{ status?: GatewayStatus }>(kinds.Gateway, gateway);
      return status?.addresses?.[0]?.value;
    });
    const rig = new Rig(kube, address);
    await rig.#put('ready', 'ready.example.com');
    await until('the first answer', async () => (await rig.#ask('ready.example.com')) === 200 || undefined);
    return rig;
  }

  /** Adds routes until there are `to`, and waits until the last one answers and all are accepted. */
  async load(from: number, to: number) {
    if (to <= from) return {};
    const began = performance.now();
    const numbers = Array.from({ length: to - from }, (_, at) => from + at).values();
    const write = async () => {
      for (const at of numbers) await this.#put(`load-${at}`, `load-${at}.example.com`);
    };
    await Promise.all(Array.from({ length: writers }, write));
    const applied = performance.now();
    await until('the last route to answer', async () => (await this.#answersAt(to - 1)) || undefined, 600_000);
    const answered = performance.now();
    await until('all routes to be accepted', async () => (await this.#accepted(to)) || undefined, 600_000);
    return {
      applyAllMs: Math.round(applied - began),
      lastAnswersMs: Math.round(answered - applied),
      allAcceptedMs: Math.round(performance.now() - applied),
    };
  }

  /** Applies a route and asks without a pause until it answers 200; also counts answers that are neither 200 nor 404. */
  async applyAndAsk(name: string, host: string): Promise<{ readonly answeredAt: number; readonly surprises: number }> {
    let answeredAt: number | undefined;
    const applied = this.#put(name, host).then(() => {
      answeredAt = performance.now();
    });
    let surprises = 0;
    for (;;) {
      const status = await this.#ask(host);
      if (status === 200) break;
      if (status !== 404) surprises += 1;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const now = performance.now();
    await applied;
    // The answer of the API server may come after the route works: then it is the gateway that waited for nobody.
    return { answeredAt: Math.min(answeredAt ?? now, now), surprises };
  }

  async removeRoute(name: string, host: string): Promise<void> {
    await this.#kube.delete(kinds.HTTPRoute, { namespace, name });
    await until('the route to be gone', async () => (await this.#ask(host)) === 404 || undefined);
  }

  async close(keep: boolean): Promise<void> {
    this.#agent.destroy();
    if (!keep) await this.#kube.delete({ group: '', version: 'v1', plural: 'namespaces' }, { name: namespace });
    this.#kube.close();
  }

  async #answersAt(number: number): Promise<boolean> {
    return (await this.#ask(`load-${number}.example.com`)) === 200;
  }

  async #accepted(count: number): Promise<boolean> {
    const routes = await this.#kube.list<Route>(kinds.HTTPRoute, { namespace });
    return routes.filter(isAccepted).length >= count;
  }

  #put(name: string, host: string): Promise<unknown> {
    const spec = {
      parentRefs: [{ name: gateway.name }],
      hostnames: [host],
      rules: [{ backendRefs: [{ name: 'echo', port: 8080 }] }],
    };
    const route = {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name, namespace },
      spec,
    };
    return this.#kube.apply(kinds.HTTPRoute, route);
  }

  /** The status that the gateway answers, 0 when there is no answer. */
  async #ask(host: string): Promise<number> {
    const asked = request({ host: this.#address, port: 80, headers: { host }, agent: this.#agent, timeout: 2000 });
    asked.on('timeout', () => asked.destroy(new Error('no answer in 2 s')));
    try {
      asked.end();
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
      return response.statusCode ?? 0;
    } catch {
      return 0;
    }
  }
}

interface GatewayStatus {
  readonly addresses?: readonly { readonly value: string }[];
}

interface Route {
  readonly status?: { readonly parents?: readonly { readonly conditions?: readonly Condition[] }[] };
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

const isAccepted = ({ status }: Route): boolean =>
  status?.parents?.some(({ conditions = [] }) =>
    conditions.some(({ type, status }) => type === 'Accepted' && status === 'True'),
  ) ?? false;

function world(gatewayClassName: string): [ResourceType, KubernetesObject][] {
  const metadata = { name: 'echo', namespace };
  const labels = { app: 'echo' };
  const fieldOf = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } });
  const container = {
    name: 'echo',
    image: echo,
    env: [
      { name: 'POD_NAME', ...fieldOf('metadata.name') },
      { name: 'NAMESPACE', ...fieldOf('metadata.namespace') },
    ],
    readinessProbe: { tcpSocket: { port: 3000 }, periodSeconds: 1 },
  };
  return [
    [
      { group: '', version: 'v1', plural: 'namespaces' },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ],
    [
      deployments,
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [container] } },
        },
      },
    ],
    [
      kinds.Service,
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata,
        spec: { selector: labels, ports: [{ port: 8080, targetPort: 3000 }] },
      },
    ],
    [
      kinds.Gateway,
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'Gateway',
        metadata: gateway,
        spec: { gatewayClassName, listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
      },
    ],
  ];
}

async function until<T>(what: string, ask: () => Promise<T | undefined>, timeoutMs = 120_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
