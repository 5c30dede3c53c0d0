import type { V1DeploymentSpec } from '@kubernetes/client-node';
import { type KubernetesObject, keyOf, objectKey } from '../gateway-api/index.ts';
import { type KubeClient, KubeError } from '../kube/index.ts';
import type { InfrastructureSettings } from './gateway-proxies.ts';
import { partKey } from './inventory.ts';
import type { ManagedObjects } from './managed-objects.ts';
import { dispensableKinds, optionalKinds, type ProxyKindName, type ProxyObject } from './object.ts';
import type { PlacedProxies } from './placed-proxies.ts';
import { proxyObjects } from './proxy-objects.ts';
import { deleteObject, type Problem, reconcileObject } from './reconcile-object.ts';
import { type LiveService, type ServiceAddresses, serviceAddresses } from './service-addresses.ts';
import { isComplete, isWorkload, type WorkloadKind, workloadFacts, workloadKindOf } from './workload.ts';

interface GatewayObjectsDeps {
  readonly client: KubeClient;
  readonly settings: InfrastructureSettings;
  readonly managed: ManagedObjects;
  /** An object without which proxies serve all the same may not be made. */
  readonly onForbidden: (kind: ProxyKindName, reason: string) => void;
}

/** All objects that are made for proxies have one name. */
export const serviceKey = ({ place }: PlacedProxies): string => objectKey(place.namespace, place.name);

type ManagedObject = KubernetesObject & { readonly kind: ProxyKindName };

const isIn =
  ({ namespace, name }: PlacedProxies['place']) =>
  ({ metadata }: KubernetesObject): boolean =>
    metadata.namespace === namespace && metadata.name === name;

/** The objects of one Gateway's proxies: what they should be, and the writes that make them so. */
export class GatewayObjects {
  readonly #deps: GatewayObjectsDeps;
  /** Workloads that were deleted last, by partKey: their uid. */
  readonly #ended = new Map<string, string | undefined>();

  constructor(deps: GatewayObjectsDeps) {
    this.#deps = deps;
  }

  desiredOf(gateway: PlacedProxies): ProxyObject[] {
    const live = this.#deps.managed.find('Deployment', serviceKey(gateway));
    return proxyObjects(gateway, this.#deps.settings, {
      deployment: live && {
        replicas: (live.spec as Partial<V1DeploymentSpec> | undefined)?.replicas,
        resourceVersion: live.metadata.resourceVersion,
      },
      service: this.#liveService(gateway),
    });
  }

  /** From where the Service is to be reached, and what of it cannot be. */
  addressesOf(gateway: PlacedProxies): Pick<ServiceAddresses, 'routability' | 'problem'> {
    return serviceAddresses(gateway, this.#deps.settings, this.#liveService(gateway));
  }

  #liveService(gateway: PlacedProxies): LiveService {
    return this.#deps.managed.find('Service', serviceKey(gateway))?.spec as LiveService;
  }

  /** What prevents some of the objects; the others are applied. */
  async apply(gateway: PlacedProxies, signal: AbortSignal): Promise<Problem> {
    const problems: Problem[] = [];
    for (const object of this.desiredOf(gateway)) {
      const live = this.#deps.managed.find(object.kind, keyOf(object));
      problems.push(await this.#applyObject(live, object, signal));
    }
    return problems.filter((problem) => problem !== undefined).join('; ') || undefined;
  }

  async removeAll(gatewayKey: string, signal: AbortSignal): Promise<void> {
    await this.#remove([...this.#deps.managed.of(gatewayKey)], signal);
  }

  /** Before the rest is applied: an autoscaler that is no longer asked for would go on to decide. */
  async removeUnasked(gatewayKey: string, gateway: PlacedProxies, signal: AbortSignal): Promise<void> {
    const asked = new Set(this.desiredOf(gateway).map(partKey));
    for (const object of this.#deps.managed.of(gatewayKey)) {
      const isHere = object.metadata.namespace === gateway.place.namespace;
      if (isHere && optionalKinds.has(object.kind) && !asked.has(partKey(object)))
        await deleteObject(this.#deps.client, object, signal);
    }
  }

  /** What runs the proxies: the desired workload, or a former one that serves until that does. The kind alone while there is none. */
  servingWorkload(gatewayKey: string, gateway: PlacedProxies): KubernetesObject | WorkloadKind {
    const desired = this.#workloadOf(gateway);
    const found = [...(desired ? [desired] : []), ...this.#replacedOf(gatewayKey, gateway)];
    return found.find((each) => workloadFacts(each).available > 0) ?? found[0] ?? workloadKindOf(gateway.parameters);
  }

  /** All proxies of the desired workload serve. One that was ended before may still be known, though it is there no more. */
  isComplete(gateway: PlacedProxies): boolean {
    const workload = this.#workloadOf(gateway);
    return (
      workload !== undefined && isComplete(workload) && this.#ended.get(partKey(workload)) !== workload.metadata.uid
    );
  }

  /** What ran the proxies when they were to be run in another way. */
  async removeReplaced(gatewayKey: string, gateway: PlacedProxies, signal: AbortSignal): Promise<void> {
    const replaced = this.#replacedOf(gatewayKey, gateway);
    for (const object of replaced) this.#ended.set(partKey(object), object.metadata.uid);
    await this.#remove(replaced, signal);
  }

  #workloadOf(gateway: PlacedProxies): KubernetesObject | undefined {
    return this.#deps.managed.find(workloadKindOf(gateway.parameters), serviceKey(gateway));
  }

  #replacedOf(gatewayKey: string, { place, parameters }: PlacedProxies): ManagedObject[] {
    const desired = workloadKindOf(parameters);
    return [...this.#deps.managed.of(gatewayKey)].filter(
      (object) => isWorkload(object.kind) && object.kind !== desired && isIn(place)(object),
    );
  }

  /** What was made in another place, when all proxies ran in one namespace and do not any more, or the reverse. */
  hasFormer(gatewayKey: string, gateway: PlacedProxies): boolean {
    return this.#formerOf(gatewayKey, gateway).length > 0;
  }

  async removeFormer(gatewayKey: string, gateway: PlacedProxies, signal: AbortSignal): Promise<void> {
    await this.#remove(this.#formerOf(gatewayKey, gateway), signal);
  }

  #formerOf(gatewayKey: string, { place }: PlacedProxies) {
    const isHere = isIn(place);
    return [...this.#deps.managed.of(gatewayKey)].filter((object) => !isHere(object));
  }

  async #remove(objects: readonly ManagedObject[], signal: AbortSignal): Promise<void> {
    await Promise.all(objects.map((object) => deleteObject(this.#deps.client, object, signal)));
  }

  async #applyObject(live: KubernetesObject | undefined, object: ProxyObject, signal: AbortSignal): Promise<Problem> {
    try {
      return await reconcileObject(this.#deps.client, live, object, signal);
    } catch (error) {
      const isDispensable =
        dispensableKinds.has(object.kind) && error instanceof KubeError && error.code === 'forbidden';
      if (!isDispensable) throw error;
      this.#deps.onForbidden(object.kind, error.message);
      return undefined;
    }
  }
}
