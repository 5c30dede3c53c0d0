import { reconcile } from '../../controllers/index.ts';
import {
  type GatewayStatus,
  type IngressStatus,
  ingressOf,
  type Kind,
  type KindName,
  type KubernetesObject,
  kinds,
  type ObjectKey,
  type RouteStatus,
} from '../../gateway-api/index.ts';
import type { Builder, Graph, GraphCopy, StatusChange } from '../../graph/index.ts';
import type { IngressFault, NativeIngresses, ServedIngress } from '../../ingress/native/index.ts';
import type { ResourceEvent } from '../../sources/index.ts';
import { inTurns, type Steps, takeSlice } from '../../std/steps/index.ts';
import type { BuildIngresses } from './build-ingresses.ts';
import type { Edges } from './edges.ts';

export interface ServedIngressesParts {
  readonly graph: Graph;
  readonly builder: Pick<Builder, 'changed'>;
  readonly statuses: Pick<Edges['statuses'], 'setIngress'>;
  /** What was made, for those who want to know of it. */
  readonly onMade: (event: ResourceEvent) => void;
  /** What is wrong with an Ingress from now on. */
  readonly onFaults: (ingress: ObjectKey, faults: readonly IngressFault[]) => void;
}

/**
 * Puts into the graph what Ingresses become, beside the objects that users wrote, and says of Ingresses where they are reached. The first time it waits for
 * all lists; then each event is taken in before the build that it leads to.
 */
export class ServedIngresses {
  readonly #parts: ServedIngressesParts;
  readonly #build: BuildIngresses;
  readonly #native: NativeIngresses;
  readonly #served = new Map<ObjectKey, ServedIngress>();
  readonly #byGateway = new Map<ObjectKey, Set<ObjectKey>>();
  /** Of Gateways with Ingresses, as a text. */
  readonly #addresses = new Map<string, string>();
  #isStarted = false;
  #isPlanned = false;

  constructor(build: BuildIngresses, parts: ServedIngressesParts) {
    this.#parts = parts;
    this.#build = build;
    const { graph } = parts;
    this.#native = build.build(
      { find: (kind, key) => graph.find(kind, key), list: (kind) => graph.list(kind) },
      {
        put: (kind, object) => this.#take('modified', kind, object),
        remove: (kind, object) => this.#take('deleted', kind, object),
        outcome: (ingress, outcome) => this.#receive(ingress, outcome),
      },
    );
  }

  /** Takes an event that the graph has. */
  observe({ kind, object }: ResourceEvent): void {
    this.#native.observe(kind.name, object);
    this.#plan();
  }

  /** All lists are in: makes what there is, with turns for others between. */
  async start(): Promise<void> {
    await inTurns(this.#native.flushing());
    this.#isStarted = true;
    this.#plan();
  }

  /** Takes statuses of a build. */
  status(changes: readonly StatusChange[]): void {
    const affected = new Set<ObjectKey>();
    for (const { kind, key, status } of changes) {
      const made = ingressOf(key);
      if (made !== undefined) affected.add(made);
      if (kind === 'Gateway' && this.#isReadressed(key, status as GatewayStatus | undefined))
        for (const ingress of this.#byGateway.get(key as ObjectKey) ?? []) affected.add(ingress);
    }
    for (const ingress of affected) this.#say(ingress);
  }

  /** What became of Ingresses of classes of ours, by their keys. */
  entries(): Iterable<readonly [ingress: ObjectKey, served: ServedIngress]> {
    return this.#served;
  }

  /** The same of one; undefined: it is none of ours. */
  find(ingress: string): ServedIngress | undefined {
    return this.#served.get(ingress as ObjectKey);
  }

  /** Makes in a copy of the graph what Ingresses would become there. */
  deriveInto(copy: GraphCopy): Steps<ReadonlyMap<ObjectKey, ServedIngress>> {
    return this.#build.deriveInto(copy);
  }

  #plan(): void {
    if (!this.#isStarted || this.#isPlanned || !this.#native.isDirty) return;
    this.#isPlanned = true;
    // Before the build that the event leads to, and after the other events of its batch.
    queueMicrotask(() => this.#work(this.#native.flushing()));
  }

  #work(steps: ReturnType<NativeIngresses['flushing']>): void {
    if (!takeSlice(steps).done) {
      setImmediate(() => this.#work(steps));
      return;
    }
    this.#isPlanned = false;
    this.#plan();
  }

  #take(type: ResourceEvent['type'], name: KindName, object: KubernetesObject): void {
    const { graph, builder, onMade } = this.#parts;
    const event: ResourceEvent = { type, kind: kinds[name] as Kind, object };
    if (reconcile(graph, name, event)) builder.changed();
    onMade(event);
  }

  #receive(ingress: ObjectKey, outcome: ServedIngress | undefined): void {
    const before = this.#served.get(ingress);
    if (before?.gateway !== undefined) {
      const all = this.#byGateway.get(before.gateway);
      all?.delete(ingress);
      if (all?.size === 0) this.#byGateway.delete(before.gateway);
    }
    if (outcome === undefined) this.#served.delete(ingress);
    else this.#served.set(ingress, outcome);
    if (outcome?.gateway !== undefined)
      this.#byGateway.set(outcome.gateway, (this.#byGateway.get(outcome.gateway) ?? new Set()).add(ingress));
    this.#parts.onFaults(ingress, outcome?.faults ?? []);
    // What it became has no status before the next build.
    const isHandedOver = before !== undefined && before.isAdopted !== outcome?.isAdopted;
    if (outcome === undefined || outcome.routes.length === 0 || isHandedOver) this.#say(ingress);
  }

  #isReadressed(gateway: string, status: GatewayStatus | undefined): boolean {
    if (!this.#byGateway.has(gateway as ObjectKey)) return false;
    const now = JSON.stringify(status?.addresses ?? []);
    if (this.#addresses.get(gateway) === now) return false;
    this.#addresses.set(gateway, now);
    return true;
  }

  /**
   * Where an Ingress is reached. One of which nothing is served is reached nowhere; of others nothing is said until the Gateway has addresses. Of adopted
   * ones nothing is said at all: two writers of one status would overwrite each other for ever.
   */
  #say(ingress: ObjectKey): void {
    const { statuses, graph } = this.#parts;
    const served = this.#served.get(ingress);
    if (served === undefined || served.isAdopted) {
      statuses.setIngress?.(ingress, undefined);
      return;
    }
    const routes = served.routes.map((route) => graph.statusOf('HTTPRoute', route) as RouteStatus | undefined);
    // Made a moment ago: the build that comes says more.
    if (routes.length > 0 && routes.every((status) => status === undefined)) return;
    const isAccepted = routes.some(isServed);
    const status = served.gateway && (graph.statusOf('Gateway', served.gateway) as GatewayStatus | undefined);
    const addresses = isAccepted && status ? status.addresses.map(addressOf) : [];
    if (isAccepted && addresses.length === 0) return;
    statuses.setIngress?.(ingress, { kind: 'Ingress', addresses });
  }
}

const isServed = (status: RouteStatus | undefined): boolean =>
  (status?.parents ?? []).some(({ conditions }) =>
    conditions.some(({ type, status: value }) => type === 'Accepted' && value === 'True'),
  );

const addressOf = ({ type, value }: GatewayStatus['addresses'][number]): IngressStatus['addresses'][number] =>
  type === 'IPAddress' ? { ip: value } : { hostname: value };
