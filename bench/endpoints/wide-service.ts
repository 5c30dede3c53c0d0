import { kinds } from '../../src/gateway-api/index.ts';
import { podAddress } from '../host/own-network.ts';
import type { Subject } from '../peer/subject.ts';
import { namespace, type World } from '../peer/world.ts';
import { applyAll } from '../support/apply-all.ts';
import { EnvoyAdmin } from './envoy-admin.ts';
import { type Shape, service, slice } from './shape.ts';

const name = 'wide';
const perSlice = 100;

/** One Service with slices of a hundred endpoints. */
export class WideService implements Shape {
  readonly name: string;
  readonly #world: World;
  readonly #subject: Subject;
  readonly #slices: string[][];
  #used = 0;
  #admin: EnvoyAdmin | undefined;

  constructor(world: World, subject: Subject, slices: number) {
    this.#world = world;
    this.#subject = subject;
    this.#slices = Array.from({ length: slices }, () => Array.from({ length: perSlice }, () => this.#newAddress()));
    this.name = `1 × ${(slices * perSlice).toLocaleString('en')}`;
  }

  async write(): Promise<void> {
    const { client } = this.#world.api;
    await applyAll(client, [
      service(name),
      ...this.#slices.map((addresses, at) => slice(name, `${name}-${at}`, addresses)),
    ]);
    await this.#subject.probe.put(name, `${name}.example.com`, [{ backendRefs: [{ name, port: 80 }] }]);
    this.#admin = await EnvoyAdmin.of(this.#subject);
    await this.arrived();
  }

  /** One goes, then one comes that was never there. */
  async change(at: number): Promise<void> {
    const place = (at >> 1) % this.#slices.length;
    const addresses = this.#slices[place]!;
    if (at % 2 === 0) addresses.shift();
    else addresses.push(this.#newAddress());
    await this.#world.api.client.apply(...slice(name, `${name}-${place}`, addresses));
  }

  async arrived(): Promise<void> {
    const count = this.#slices.reduce((sum, addresses) => sum + addresses.length, 0);
    await this.#world.patience.until(
      'Envoy has an endpoint',
      async () => (await this.#admin?.membersOf(name)) === count,
    );
  }

  async remove(): Promise<void> {
    const { client } = this.#world.api;
    await this.#subject.probe.removeRoute(name, `${name}.example.com`);
    await client.delete(kinds.Service, { namespace, name });
    for (const at of this.#slices.keys())
      await client.delete(kinds.EndpointSlice, { namespace, name: `${name}-${at}` });
    this.#admin?.close();
  }

  #newAddress(): string {
    this.#used += 1;
    return podAddress(this.#used);
  }
}
