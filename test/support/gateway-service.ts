import type { V1Service } from '@kubernetes/client-node';
import { type GatewayStatus, type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { proxyKinds } from '../../src/infrastructure/index.ts';
import type { KubeOperator } from './kube-operator.ts';
import { setProxyPods } from './proxy-pods.ts';
import { until, untilFits } from './until.ts';

/** The Service of a Gateway of namespace `shop`, and what its cluster and its proxies say of it. */
export class GatewayService {
  readonly #operator: KubeOperator;
  readonly #ref: { readonly namespace: string; readonly name: string };
  readonly #gateway: string;

  constructor(operator: KubeOperator, gateway: string) {
    this.#operator = operator;
    this.#ref = { namespace: 'shop', name: `gatewright-${gateway}` };
    this.#gateway = gateway;
  }

  find(): Promise<(KubernetesObject & V1Service) | undefined> {
    return this.#operator.api.client.find(proxyKinds.Service, this.#ref) as Promise<
      (KubernetesObject & V1Service) | undefined
    >;
  }

  fits(what: string, fits: (service: KubernetesObject & V1Service) => boolean) {
    return untilFits(
      `Service of ${this.#gateway}: ${what}`,
      () => this.find(),
      (live) => live !== undefined && fits(live),
    );
  }

  /** What the controller of a load balancer writes. */
  async balance(...ips: readonly string[]): Promise<void> {
    const ingress = ips.map((ip) => ({ ip }));
    await this.#operator.api.client.patchStatus(proxyKinds.Service, this.#ref, {
      status: { loadBalancer: { ingress } },
    });
  }

  /** A pod is ready, and its proxy has the listeners of now. */
  async serve(): Promise<void> {
    const { graph, builder } = this.#operator.control;
    await setProxyPods(this.#operator.api, this.#ref);
    await builder.settled();
    const key = `shop/${this.#gateway}`;
    const digest = await until('the listeners', async () => graph.snapshot()?.gateways.get(key)?.listenersDigest);
    graph.acknowledge(key, digest);
    builder.changed();
  }

  /** The status with this condition, as `TYPE STATUS REASON`, and with this in its message. */
  status(condition: string, says = ''): Promise<GatewayStatus> {
    return this.#statusThat(condition, ({ conditions = [] }) =>
      conditions.some(
        ({ type, status: is, reason, message }) => `${type} ${is} ${reason}` === condition && message.includes(says),
      ),
    );
  }

  /** Resolves when the status has these addresses, each as `ROUTABILITY VALUE`. */
  async addressed(...addresses: readonly string[]): Promise<void> {
    await this.#statusThat(`addresses ${addresses.join()}`, ({ addresses: live = [] }) => {
      const seen = live.map(
        ({ routability = '', value }: { routability?: string; value?: string }) => `${routability} ${value}`,
      );
      return seen.join() === addresses.join();
    });
  }

  async #statusThat(what: string, fits: (status: GatewayStatus) => boolean): Promise<GatewayStatus> {
    const status = await untilFits(
      `Gateway ${this.#gateway}: ${what}`,
      async () => (await this.#operator.api.client.find(kinds.Gateway, this.#gatewayRef))?.status as GatewayStatus,
      (live) => live !== undefined && fits(live),
    );
    return status as GatewayStatus;
  }

  get #gatewayRef() {
    return { namespace: 'shop', name: this.#gateway };
  }
}

/** A Gateway of namespace `shop` and class `gatewright` with one port. `more`: fields of its spec, such as `, addresses: [...]`. */
export const gatewayWith = (name: string, more: string, gatewayClass = 'plain'): string =>
  `{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: ${name}, namespace: shop}, spec: {gatewayClassName: ${gatewayClass}, listeners: [{name: http, port: 80, protocol: HTTP}]${more}}}`;

/** A class of ours. */
export const classWith = (name: string, more = ''): string =>
  `{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: ${name}}, spec: {controllerName: gatewright.dev/gateway-controller${more}}}`;
