import { isDeepStrictEqual } from 'node:util';
import { freePort } from '../../../scripts/free-port.ts';
import { type Standalone, startStandalone, untilCurrent } from '../standalone.ts';
import { untilFits } from '../until.ts';
import { Asking } from './asking.ts';
import { issueCertificates } from './certificates.ts';
import { type Counts, countsOf, fixedObjects, markOf, objectsOf, type Ports } from './objects.ts';
import { type ModelServers, startServers } from './servers.ts';
import type { Ask, World } from './world.ts';

interface Parts {
  readonly standalone: Standalone;
  readonly servers: ModelServers;
  readonly ports: Ports;
  readonly asking: Asking;
}

/** Everything real: files, control plane, agent, Envoy, a backend, and a server that is asked. */
export class AccessRig {
  readonly ports: Ports;
  readonly #parts: Parts;
  #count = 0;

  private constructor(parts: Parts) {
    this.ports = parts.ports;
    this.#parts = parts;
  }

  static async start(): Promise<AccessRig> {
    const servers = await startServers();
    const certificates = await issueCertificates();
    const standalone = await startStandalone({}, { logLevel: 'info', hasOneThread: true });
    const ports = { plain: standalone.port, tls: await freePort() };
    standalone.write('gateway.yaml', ...fixedObjects(ports, certificates));
    return new AccessRig({ standalone, servers, ports, asking: new Asking(ports, certificates) });
  }

  /** Puts the world in the place of the former one; resolves when Envoy has it. */
  async apply(world: World): Promise<void> {
    const state = this.write(world);
    const { standalone } = this.#parts;
    const wanted = countsOf(world, state);
    const isRead = (counts: object): boolean => isDeepStrictEqual(counts, wanted);
    await untilFits(`the files to be read: ${JSON.stringify(wanted)}`, () => seenBy(standalone), isRead);
    await untilCurrent(standalone);
  }

  /** The same without waiting; gives the mark by which it is known. */
  write(world: World): string {
    const { standalone, servers } = this.#parts;
    this.#count += 1;
    const state = `s${this.#count}`;
    // In JSON: to write YAML takes some thirty times as long.
    const all = [...servers.objects, ...objectsOf(world), markOf(state)];
    standalone.writeText('world.yaml', all.map((object) => JSON.stringify(object)).join('\n---\n'));
    return state;
  }

  /** See Asking.ask. */
  ask(world: World, host: number, ask: Ask): Promise<string> {
    return this.#parts.asking.ask(world, host, ask);
  }

  async stop(): Promise<void> {
    const { standalone, servers, asking } = this.#parts;
    asking.stop();
    await standalone.stop();
    servers.close();
  }
}

const seenBy = ({ control: { graph } }: Standalone): Counts => ({
  state: graph.find('ConfigMap', 'default/state')?.data?.['jwks.json'] ?? '',
  AccessPolicy: graph.count('AccessPolicy'),
  Secret: graph.count('Secret'),
  ConfigMap: graph.count('ConfigMap'),
  HTTPRoute: graph.count('HTTPRoute'),
  GRPCRoute: graph.count('GRPCRoute'),
});
