import { kinds } from '../../src/gateway-api/index.ts';
import { podAddress } from '../host/own-network.ts';
import type { Subject } from '../peer/subject.ts';
import type { World } from '../peer/world.ts';
import { applyAll } from '../support/apply-all.ts';
import { isAccepted, type WithParents } from '../support/conditions.ts';
import { EnvoyAdmin } from './envoy-admin.ts';
import { type Shape, service, slice } from './shape.ts';

const perService = 10;

/** Many Services of ten endpoints, each with a route of its own. */
export class ManyServices implements Shape {
  readonly name: string;
  readonly #world: World;
  readonly #subject: Subject;
  readonly #services: string[][];
  #used = 0;
  #admin: EnvoyAdmin | undefined;
  /** What the last change brought: an address, and the Service that has it. */
  #last = { address: '', place: 0 };

  constructor(world: World, subject: Subject, services: number) {
    this.#world = world;
    this.#subject = subject;
    this.#services = Array.from({ length: services }, () =>
      Array.from({ length: perService }, () => this.#newAddress()),
    );
    this.name = `${services.toLocaleString('en')} × ${perService}`;
  }

  async write(): Promise<void> {
    const { api, patience } = this.#world;
    const { probe } = this.#subject;
    await applyAll(
      api.client,
      this.#services.flatMap((addresses, at) => [service(nameOf(at)), slice(nameOf(at), nameOf(at), addresses)]),
    );
    for (const at of this.#services.keys())
      await probe.put(nameOf(at), hostOf(at), [{ backendRefs: [{ name: nameOf(at), port: 80 }] }]);
    this.#admin = await EnvoyAdmin.of(this.#subject);
    const place = this.#services.length - 1;
    this.#last = { place, address: this.#services[place]!.at(-1)! };
    await this.arrived();
    const accepted = async () => (await api.client.list<WithParents>(kinds.HTTPRoute)).filter(isAccepted).length;
    // The route that said the proxy was ready is there as well.
    await patience.untilAll('all routes accepted', this.#services.length + 1, 'routes', accepted);
  }

  /** One of ten gives way to one that was never there. */
  async change(at: number): Promise<void> {
    const place = (at * 37) % this.#services.length;
    const addresses = this.#services[place]!;
    const added = this.#newAddress();
    addresses.splice(at % perService, 1, added);
    await this.#world.api.client.apply(...slice(nameOf(place), nameOf(place), addresses));
    this.#last = { address: added, place };
  }

  async arrived(): Promise<void> {
    const { address, place } = this.#last;
    const has = async () => (await this.#admin?.hasEndpoint(nameOf(place), address)) ?? false;
    await this.#world.patience.until('Envoy has an endpoint', has);
  }

  async remove(): Promise<void> {
    this.#admin?.close();
    await this.#subject.probe.removeAll();
  }

  #newAddress(): string {
    this.#used += 1;
    return podAddress(this.#used);
  }
}

const nameOf = (at: number): string => `service-${at}`;
const hostOf = (at: number): string => `service-${at}.example.com`;
