import type { Snapshot } from '../../../src/ir/index.ts';
import { allChanges } from '../../../src/ir/index.ts';
import { type EnvoyResource, Translator } from '../../../src/translate/index.ts';
import type { NodeEvent, XdsServer } from '../../../src/xds/index.ts';
import type { Endings } from '../endings.ts';
import { type EnvoyProcess, startEnvoy, xdsBootstrap } from '../envoy.ts';
import { gateway, publisher, removalOf, startXds } from '../xds.ts';

const mostMs = 300_000;

/** A real Envoy that is sent what is made of one world after the other. */
export class TakingEnvoy {
  readonly #server: XdsServer;
  readonly #events: NodeEvent[];
  readonly #publish: ReturnType<typeof publisher>;
  readonly #ends: readonly (() => unknown)[];
  readonly #start: () => Promise<EnvoyProcess>;
  #envoy: EnvoyProcess;
  #held: readonly EnvoyResource[] = [];

  private constructor(parts: {
    server: XdsServer;
    events: NodeEvent[];
    publish: ReturnType<typeof publisher>;
    ends: readonly (() => unknown)[];
    start: () => Promise<EnvoyProcess>;
    envoy: EnvoyProcess;
  }) {
    this.#server = parts.server;
    this.#events = parts.events;
    this.#publish = parts.publish;
    this.#ends = parts.ends;
    this.#start = parts.start;
    this.#envoy = parts.envoy;
  }

  static async start(): Promise<TakingEnvoy> {
    const ends: (() => unknown)[] = [];
    const endings: Endings = { teardown: (end) => void ends.push(end) };
    const { server, port, events } = await startXds(endings);
    const publish = publisher(server);
    publish({});
    const bootstrap = xdsBootstrap({ xds: port, nodeId: 'taking', cluster: gateway, likeAgents: true });
    const start = () => startEnvoy({ bootstrap, logLevel: 'critical' });
    return new TakingEnvoy({ server, events, publish, ends, start, envoy: await start() });
  }

  /** Sends all that proxies of each Gateway get; what Envoy rejects of it, in its words. */
  async take(snapshot: Snapshot): Promise<string[]> {
    const nacks: string[] = [];
    for (const { upserts } of new Translator().translate(snapshot, allChanges(snapshot)))
      nacks.push(...(await this.#takeAll(upserts)));
    return nacks;
  }

  async #takeAll(upserts: readonly EnvoyResource[]): Promise<string[]> {
    const stays = new Set(upserts.map(({ typeUrl, name }) => `${typeUrl} ${name}`));
    const removals = this.#held.filter(({ typeUrl, name }) => !stays.has(`${typeUrl} ${name}`)).map(removalOf);
    let wanted = '';
    const settled = this.#settled(() => wanted);
    wanted = this.#publish({ upserts, removals });
    const ended = this.#envoy.exited.then(() => 'ended' as const);
    const outcome = await Promise.race([
      settled.then(
        () => 'settled' as const,
        () => 'silent' as const,
      ),
      ended,
    ]);
    this.#held = upserts;
    const nacks = this.#events.splice(0).flatMap((event) => (event.kind === 'nacked' ? [event.nack.message] : []));
    if (outcome !== 'settled' || nacks.length > 0) await this.#restart();
    return outcome === 'settled'
      ? nacks
      : [...nacks, outcome === 'ended' ? `Envoy ended: ${this.#envoy.log().slice(0, 2000)}` : 'Envoy does not answer'];
  }

  /** Until Envoy has said something final of what is wanted. One that says nothing is found out after minutes: others use the machine as well. */
  #settled(wanted: () => string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(new Error('no answer')), mostMs);
    const stop = this.#server.onNode((event) => {
      if (event.kind === 'nacked' || (event.kind === 'applied' && event.snapshot === wanted())) resolve();
    });
    return promise.finally(() => {
      clearTimeout(timer);
      stop();
    });
  }

  async #restart(): Promise<void> {
    await this.#envoy.stop();
    const removals = this.#held.map(removalOf);
    this.#held = [];
    this.#publish({ removals });
    this.#envoy = await this.#start();
    this.#events.splice(0);
  }

  async stop(): Promise<void> {
    await this.#envoy.stop();
    for (const end of [...this.#ends].reverse()) await end();
  }
}
