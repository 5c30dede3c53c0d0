import type { ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type * as ir from '../../src/ir/index.ts';
import { record, startAgent, startControlPlane, type TestControlPlane, untilReady } from './agent-world.ts';
import { send, startBackend } from './http.ts';
import { forwardAuthBy, route, snapshotOf, table, translateAll, virtualHost } from './ir.ts';
import { until, untilFits } from './until.ts';

/* Requests that wait for a server in `access`, in front of a `traffic` in which something is used later. */

/** The host whose requests wait, and one whose requests do not. */
export const [heldHost, otherHost] = ['held.test', 'other.test'];

/** Requests with this header meet faults. */
export const faultHeader = { 'x-fault': 'yes' };
export const faults: ir.Faults = { abort: { status: 418, perMillion: 1_000_000 }, header: { name: 'x-fault' } };

export const tableFaults = (ofTable: ir.Faults): Partial<ir.RouteTable> => ({
  traffic: { parts: [{ filters: { faults: ofTable }, sources: { faults: 'a/faults' } }] },
});

const asks: ir.ForwardAuth = forwardAuthBy('holder', { timeoutMs: 600_000 });

export interface Served {
  /** Whether requests to the one host wait. */
  readonly waits?: boolean;
  /** What it has beside. */
  readonly held?: ir.RouteFilters;
  readonly other?: ir.RouteFilters;
  /** What the table has for all of its requests. */
  readonly table?: Partial<ir.RouteTable>;
  /** Of all answers of the listener. */
  readonly edge?: string;
}

type Agent = Awaited<ReturnType<typeof startAgent>>;

/** A real agent and Envoy with both hosts. */
export class LateTrafficWorld {
  readonly controlPlane: TestControlPlane;
  readonly port: number;
  /** Requests that wait; calling one lets it in. */
  readonly held: (() => void)[] = [];
  /** Requests that ask are let in at once. */
  lets = false;
  readonly #backends: Readonly<Record<string, number>>;
  #agent: Agent | undefined;
  #count = 0;

  private constructor(controlPlane: TestControlPlane, port: number, backends: Readonly<Record<string, number>>) {
    this.controlPlane = controlPlane;
    this.port = port;
    this.#backends = backends;
  }

  /** What chains have in vain goes as soon as it may. */
  static async start(t: ExecutionContext, concurrency = 2): Promise<LateTrafficWorld> {
    const web = await startBackend(t);
    const holder = await startBackend(t, (_, response) => {
      if (world.lets) response.end();
      else world.held.push(() => response.end());
    });
    const controlPlane = await startControlPlane(t, undefined, { lingerMs: 0 });
    const backends = { web: web.port, holder: holder.port };
    const world: LateTrafficWorld = new LateTrafficWorld(controlPlane, await freePort(), backends);
    world.publish({});
    // Listeners that are replaced keep the requests that wait.
    world.#agent = await startAgent(t, controlPlane.address, { concurrency, drainTimeMs: 600_000 });
    await untilReady(world.#agent);
    await world.applied();
    return world;
  }

  get envoyPid(): number | undefined {
    return this.agent.envoyPid;
  }

  get agent(): Agent {
    if (!this.#agent) throw new Error('it is not started');
    return this.#agent;
  }

  publish({ waits = true, held = {}, other = {}, table: own = {}, edge = 'none' }: Served): void {
    this.#count += 1;
    const id = `http/${this.port}`;
    const set = [{ name: 'x-edge', value: [edge] }];
    const client = { responseHeaders: { remove: [], removePrefixes: [], set, add: [], ifAbsent: [] } };
    const listener: ir.Listener = {
      key: id,
      transport: 'tcp',
      bind: { address: '127.0.0.1', port: this.port },
      chains: [{ kind: 'http', name: 'http', table: id, client }],
    };
    const demands: ir.RouteFilters = { ...held, ...(waits && { access: { route: { forwardAuth: asks } } }) };
    const exact = [
      virtualHost(heldHost, [route('default/held/rule/0/match/0', '/', { filters: demands })]),
      virtualHost(otherHost, [route('default/other/rule/0/match/0', '/', { filters: other })]),
    ];
    const tables = [{ ...table(id, { exact }), ...own }];
    const content = { listeners: [listener], tables, backends: this.#backends };
    this.controlPlane.publish(`s${this.#count}`, translateAll(snapshotOf(content)));
  }

  applied(): Promise<unknown> {
    const is = () => this.controlPlane.server.nodes.find('node-1')?.lastAckVersion === `s${this.#count}`;
    return until('the snapshot to be applied', is);
  }

  /** How many filters `traffic` has, as Envoy says. */
  async filters(): Promise<number> {
    const { configs } = await record(this.agent, 'config?raw=true');
    const all = configs.flatMap((part: { ecds_filters?: unknown[] }) => part.ecds_filters ?? []);
    const chain = all.find(
      ({ ecds_filter }: { ecds_filter: { name: string } }) => ecds_filter.name === `traffic/http/${this.port}`,
    );
    return chain.ecds_filter.typed_config.default_filter_chain?.filters.length ?? 0;
  }

  /** Resolves when `traffic` has no filters. */
  emptied(): Promise<unknown> {
    return untilFits(
      'the chain to be empty',
      () => this.filters(),
      (count) => count === 0,
    );
  }

  async statusOf(host: string): Promise<number> {
    return (await this.ask(host, faultHeader)).status;
  }

  /** Resolves when a host is answered so, with the header of faults. */
  answers(host: string, status: number): Promise<unknown> {
    return untilFits(
      `${host} to be answered ${status}`,
      () => this.statusOf(host),
      (found) => found === status,
    );
  }

  /** Resolves when the listener is the one with this. */
  edgeIs(edge: string): Promise<unknown> {
    return untilFits(
      `the listener to be ${edge}`,
      async () => (await this.ask(otherHost)).headers['x-edge'],
      (found) => found === edge,
    );
  }

  /** Names of the resources that Envoy rejects from now on, as the control plane learns them. */
  rejected(): readonly string[] {
    const names: string[] = [];
    this.controlPlane.server.onNode((event) => {
      if (event.kind === 'nacked') names.push(...event.nack.resources.map(({ name }) => name));
    });
    return names;
  }

  ask(host: string, headers: Readonly<Record<string, string>> = {}) {
    return send(this.port, { host: `${host}:${this.port}`, headers });
  }

  /** So many requests to the host that wait from now on. `answers` gives their statuses. */
  async wait(count: number, headers: Readonly<Record<string, string>> = {}): Promise<Waiting> {
    const before = this.held.length;
    const asked = Array.from({ length: count }, () =>
      this.ask(heldHost, headers).then(
        ({ status }) => status,
        (error: Error) => error.message,
      ),
    );
    await until('requests to wait', () => this.held.length >= before + count);
    return { answers: Promise.all(asked) };
  }

  release(): void {
    for (const letIn of this.held.splice(0)) letIn();
  }
}

interface Waiting {
  readonly answers: Promise<readonly unknown[]>;
}
