import type * as ir from '../../ir/index.ts';
import { addAll, type Dirty } from '../engine/index.ts';
import { closedFault, type Gateways } from '../gateways/index.ts';
import type { DataPlaneState, ResolvedFleet, ResolvedGateway } from '../model/index.ts';
import { Acknowledgements } from './acknowledgements.ts';
import type { DrainingFleets } from './draining-fleets.ts';

export interface ProgressDeps {
  readonly dirty: Dirty;
  readonly gateways: Gateways;
  readonly left: DrainingFleets;
}

/** The progress of proxies: their addresses, and the listeners they have applied. A change marks the statuses that report it. */
export class FleetProgress {
  readonly #deps: ProgressDeps;
  /** By ResolvedFleet.key. */
  readonly #dataPlanes = new Map<string, DataPlaneState>();
  readonly #acknowledged = new Acknowledgements();

  constructor(deps: ProgressDeps) {
    this.#deps = deps;
  }

  dataPlane(fleet: string): DataPlaneState | undefined {
    return this.#dataPlanes.get(fleet);
  }

  setDataPlane(fleet: string, state: DataPlaneState | undefined): void {
    if (JSON.stringify(this.#dataPlanes.get(fleet)) === JSON.stringify(state)) return;
    if (state) this.#dataPlanes.set(fleet, state);
    else this.#dataPlanes.delete(fleet);
    const { dirty, gateways, left } = this.#deps;
    addAll(dirty.gatewayStatuses, gateways.keysOf(fleet));
    addAll(dirty.gatewayStatuses, left.leaversOf(fleet));
  }

  /** Acknowledgements.applied */
  applied(fleet: string, digest: ir.Digest): void {
    this.#noteChanges(fleet, () => this.#acknowledged.applied(fleet, digest));
  }

  /** Acknowledgements.setDesired */
  setDesired(fleet: ResolvedFleet, listeners: ReadonlyMap<string, ir.Listener>, digest: ir.Digest): void {
    this.#noteChanges(fleet.key, () => this.#acknowledged.setDesired(fleet, listeners, digest));
  }

  /** Acknowledgements.has */
  hasApplied(fleet: string, gateway: string): boolean | undefined {
    return this.#acknowledged.has(fleet, gateway);
  }

  /** Clients can go to the fleet for the Gateway: its proxies are there and have the listeners. */
  isServing(gateway: ResolvedGateway): boolean {
    const { fleet, key } = gateway;
    const state = this.#dataPlanes.get(fleet);
    const { addresses = [] } = state ?? {};
    const isReached = addresses.length > 0 && closedFault(gateway, state) === undefined;
    return isReached && this.#acknowledged.has(fleet, key) === true;
  }

  /** Forgets what was applied; addresses stay until a report without them. */
  drop(fleet: string): void {
    this.#acknowledged.drop(fleet);
  }

  /** All of it, by fleet. */
  dataPlanes(): Iterable<readonly [fleet: string, state: DataPlaneState]> {
    return this.#dataPlanes;
  }

  acknowledged(): Iterable<readonly [fleet: string, digest: ir.Digest]> {
    return this.#acknowledged.list();
  }

  /** Gateways of which the proxies have applied more, or less of what is asked now, than before. */
  #noteChanges(fleet: string, change: () => void): void {
    const { dirty, gateways } = this.#deps;
    const keys = [...gateways.keysOf(fleet)];
    const before = keys.map((key) => this.#acknowledged.has(fleet, key));
    change();
    for (const [index, key] of keys.entries())
      if (this.#acknowledged.has(fleet, key) !== before[index]) dirty.gatewayStatuses.add(key);
  }
}
