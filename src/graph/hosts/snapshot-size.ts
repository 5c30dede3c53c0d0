import { namespaceOfKey } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import { Limit, Tally, type TranslatorLimits } from '../engine/index.ts';

/** How big the snapshot in the making is, held against the limits change by change. A limit that is not set costs nothing. */
export class SnapshotSize {
  readonly #objects: Limit;
  readonly #endpoints: Limit;
  /** What belongs to each Gateway alone, so that it goes with it. */
  readonly #ofGateways = new Map<string, Tally>();

  constructor(limits: TranslatorLimits) {
    this.#objects = new Limit('maxSnapshotObjects', limits);
    this.#endpoints = new Limit('maxSnapshotEndpoints', limits);
  }

  /** A listener or secret of the Gateway. */
  countOwn(gateway: string, name: string, before: object | undefined, after: object | undefined): void {
    if (!this.#objects.isSet) return;
    this.#add(gateway, namespaceOfKey(gateway), difference(before, after), () => `${name} of Gateway ${gateway}`);
  }

  /** A host counts for its Gateway's namespace, and each of its routes for the one that the route comes from. */
  countHost(gateway: string, before: ir.VirtualHost | undefined, after: ir.VirtualHost | undefined): void {
    if (!this.#objects.isSet) return;
    const [first] = after?.routes ?? [];
    const cause = first ? ir.sourceOfRoute(first.id) : `host ${after?.host} of Gateway ${gateway}`;
    this.#add(gateway, namespaceOfKey(gateway), difference(before, after), () => cause);
    const had = new Set(before?.routes.map(({ id }) => id));
    const has = new Set(after?.routes.map(({ id }) => id));
    for (const id of had.difference(has)) this.#countSource(gateway, ir.sourceOfRoute(id), -1);
    for (const id of has.difference(had)) this.#countSource(gateway, ir.sourceOfRoute(id), 1);
  }

  /** A host of connections counts for its route's namespace, or, without one, for its Gateway's. */
  countStream(gateway: string, before: ir.StreamHost | undefined, after: ir.StreamHost | undefined): void {
    if (!this.#objects.isSet) return;
    const ownerOf = ({ source }: ir.StreamHost) => source ?? `gateway/${gateway}`;
    if (before) this.#countSource(gateway, ownerOf(before), -1);
    if (after) this.#countSource(gateway, ownerOf(after), 1);
  }

  dropGateway(gateway: string): void {
    for (const [namespace, count] of this.#ofGateways.get(gateway)?.entries() ?? [])
      this.#objects.add(namespace, -count, () => '');
    this.#ofGateways.delete(gateway);
  }

  countBackend(before: ir.Backend | undefined, after: ir.Backend | undefined): void {
    const backend = after ?? before;
    if (!this.#objects.isSet || !backend) return;
    const { namespace, service, kind = 'Service' } = backend;
    this.#objects.add(namespace, difference(before, after), () => `${kind} ${namespace}/${service}`);
  }

  countEndpoints(key: string, before: ir.Endpoints | undefined, after: ir.Endpoints | undefined): void {
    const { namespace, service } = ir.parseBackendKey(key);
    const by = (after?.endpoints.length ?? 0) - (before?.endpoints.length ?? 0);
    this.#endpoints.add(namespace, by, () => `Service ${namespace}/${service}`);
  }

  /** Throws a BuildFault when a limit is exceeded. */
  check(): void {
    this.#objects.check();
    this.#endpoints.check();
  }

  /** `source` is `KIND/NAMESPACE/NAME`. */
  #countSource(gateway: string, source: string, by: 1 | -1): void {
    this.#add(gateway, ir.namespaceOfSource(source), by, () => source);
  }

  #add(gateway: string, namespace: string, by: number, cause: () => string): void {
    const own = this.#ofGateways.get(gateway) ?? new Tally();
    this.#ofGateways.set(gateway, own);
    own.add(namespace, by);
    this.#objects.add(namespace, by, cause);
  }
}

const difference = (before: object | undefined, after: object | undefined): number =>
  Number(after !== undefined) - Number(before !== undefined);
