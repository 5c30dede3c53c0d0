import {
  clusterRoutability,
  type GatewayStatus,
  type ListenerSetStatus,
  type ObjectByKind,
} from '../../gateway-api/index.ts';
import { addAll, type Dirty, type Mishaps, mishapFault, type StatusBook, type Store } from '../engine/index.ts';
import {
  type Attachments,
  type GatewayCircumstances,
  type Gateways,
  gatewayOfSet,
  gatewayStatus,
  statusOfSet,
} from '../gateways/index.ts';
import { attachmentKey, conditionOf, type DataPlaneState, type ResolvedGateway } from '../model/index.ts';
import type { DrainingFleets } from './draining-fleets.ts';
import type { FleetProgress } from './fleet-progress.ts';
import type { Fleets } from './fleets.ts';

export interface GatewayStatusDeps {
  readonly store: Store;
  readonly statuses: StatusBook;
  readonly dirty: Dirty;
  readonly mishaps: Mishaps;
  readonly attachments: Attachments;
  readonly gateways: Gateways;
  readonly fleets: Fleets;
  readonly left: DrainingFleets;
  readonly progress: FleetProgress;
}

/** Of one that could not be resolved because of an error of ours. */
const failedSetStatus = ({ metadata: { generation = 0 } }: ObjectByKind['ListenerSet']): ListenerSetStatus => ({
  kind: 'ListenerSet',
  conditions: ['Accepted', 'Programmed'].map((type) => conditionOf(type, generation, mishapFault)),
  listeners: [],
});

/** The statuses of Gateways and their ListenerSets, of which proxies and routes have a say. */
export class GatewayStatuses {
  readonly #deps: GatewayStatusDeps;

  constructor(deps: GatewayStatusDeps) {
    this.#deps = deps;
  }

  /** What all of a Gateway's listeners share goes into its ListenerSets' statuses too. */
  resolveGateway(key: string): void {
    const { gateways, statuses, dirty } = this.#deps;
    const gateway = gateways.find(key);
    const status = gateway && gatewayStatus(gateway, this.#circumstancesOf(gateway));
    const before = statuses.find('Gateway', key) as GatewayStatus | undefined;
    statuses.set('Gateway', key, status);
    // Counts of routes are each one's own.
    if (JSON.stringify(status?.conditions) === JSON.stringify(before?.conditions)) return;
    addAll(dirty.listenerSetStatuses, gateway?.sets.keys() ?? []);
  }

  resolveListenerSet(key: string): void {
    const { store, gateways, statuses, mishaps } = this.#deps;
    const object = store.find('ListenerSet', key);
    const gateway = object && gateways.find(gatewayOfSet(object) ?? '');
    if (gateway && mishaps.has('ListenerSet', key)) {
      statuses.set('ListenerSet', key, failedSetStatus(object));
      return;
    }
    const set = gateway?.sets.get(key);
    statuses.set('ListenerSet', key, set && gateway && statusOfSet(set, gateway, this.#circumstancesOf(gateway)));
  }

  #circumstancesOf(gateway: ResolvedGateway): GatewayCircumstances {
    const { fleets, attachments } = this.#deps;
    const { key, fleet } = gateway;
    return {
      dataPlane: this.#dataPlaneOf(gateway),
      isKnown: this.#hasAddress(key),
      acknowledged: this.#isAcknowledged(gateway),
      attachedRoutes: (listener) => attachments.count(attachmentKey(key, listener)),
      rejectionOf: (listener) => fleets.rejected(fleet)?.faultOf(listener),
      clientCertificateRejection: fleets.rejected(fleet)?.clientCertificateFault(gateway),
    };
  }

  /** A Gateway that moves to other proxies is found at the addresses of the former ones until the new ones serve it. */
  #dataPlaneOf(gateway: ResolvedGateway): DataPlaneState | undefined {
    const { progress, left, fleets } = this.#deps;
    const state = progress.dataPlane(gateway.fleet) ?? this.#storedDataPlaneOf(gateway.key);
    const former = left.fleetLeftBy(gateway.key);
    if (former === undefined || fleets.isServed(gateway)) return state;
    const { addresses = [], clusterAddresses = [], routability } = progress.dataPlane(former) ?? {};
    if (addresses.length === 0) return state;
    const { routability: _, ...rest } = state ?? { message: '' };
    return { ...rest, addresses, clusterAddresses, ...(routability && { routability }) };
  }

  /** Before the first word of the proxies after a start, they are where the stored status says. */
  #storedDataPlaneOf(key: string): DataPlaneState | undefined {
    const { addresses } = (this.#deps.store.find('Gateway', key)?.status ?? {}) as Partial<GatewayStatus>;
    if (!addresses?.length) return undefined;
    const clusterAddresses = addresses.filter(({ routability }) => routability === clusterRoutability);
    const others = addresses.filter(({ routability }) => routability !== clusterRoutability);
    const routability = others.find((address) => address.routability)?.routability;
    return { addresses: others, clusterAddresses, ...(routability && { routability }), message: '' };
  }

  /** Also after a start, when only the stored status knows. */
  #hasAddress(key: string): boolean {
    const { store, statuses } = this.#deps;
    const desired = statuses.find('Gateway', key) as GatewayStatus | undefined;
    const stored = store.find('Gateway', key)?.status;
    return [desired, stored].some((status) => (status?.addresses ?? []).length > 0);
  }

  /** Before the first word of a proxy after a start, what the stored status says for this generation still holds. */
  #isAcknowledged({ key, fleet, object }: ResolvedGateway): boolean {
    const acknowledged = this.#deps.progress.hasApplied(fleet, key);
    if (acknowledged !== undefined) return acknowledged;
    const programmed = object.status?.conditions?.find(({ type }) => type === 'Programmed');
    return programmed?.status === 'True' && programmed.observedGeneration === object.metadata.generation;
  }
}
