import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closeServer, portOf, startEchoServer } from '../../scripts/example/echo-server.ts';
import { freePort } from '../../scripts/free-port.ts';
import { type Running, startProgram } from '../../test/support/program.ts';
import { backendObjects, gatewayObjects, routeObject } from '../../test/support/standalone.ts';
import { until } from '../../test/support/until.ts';
import { statusOf } from '../support/ask.ts';

const routesInFile = 500;
const services = 200;
const connections = 8;
const patientMs = 600_000;

const at = (port: number): string => `127.0.0.1:${port}`;

/** The whole program over a directory of so many routes, and a backend behind all of them. */
export class World implements AsyncDisposable {
  readonly origin: string;
  readonly #directory: string;
  readonly #turnFile: string;
  readonly #program: Running;
  readonly #port: number;
  readonly #closeBackend: () => Promise<void>;

  private constructor(parts: {
    readonly origin: string;
    readonly directory: string;
    readonly program: Running;
    readonly port: number;
    readonly closeBackend: () => Promise<void>;
  }) {
    this.origin = parts.origin;
    this.#directory = parts.directory;
    this.#turnFile = turnFileOf(parts.directory);
    this.#program = parts.program;
    this.#port = parts.port;
    this.#closeBackend = parts.closeBackend;
  }

  /** Resolves when the last route answers. */
  static async start(routes: number): Promise<World> {
    const directory = mkdtempSync(join(tmpdir(), 'gatewright-page-'));
    const backend = await startEchoServer('bench', '127.0.0.1', 0);
    const [port, admin] = [await freePort(), await freePort()];
    const config = {
      xds: { listen: at(await freePort()) },
      admin: { listen: at(admin), layout2Listen: at(await freePort()) },
      metrics: { listen: at(await freePort()) },
      dataplane: { adminListen: at(await freePort()) },
      state: { directory: join(directory, '.state') },
      log: { level: 'warn' },
    };
    const configFile = join(directory, '.config.yaml');
    writeFileSync(configFile, JSON.stringify(config));
    writeFileSync(turnFileOf(directory), '');
    writeObjects(directory, 'gateway.yaml', gatewayObjects(port));
    const backends = Array.from({ length: services }, (_, number) => backendObjects(`s${number}`, portOf(backend)));
    writeObjects(directory, 'services.yaml', backends.flat());
    for (let from = 0; from < routes; from += routesInFile)
      writeRoutes(directory, from, Math.min(routes, from + routesInFile));
    const watch = fileURLToPath(new URL('../../test/support/turn-watch.ts', import.meta.url));
    const env = { TURN_WATCH: turnFileOf(directory), NODE_OPTIONS: `--import=${watch}` };
    const program = startProgram(['run', '-f', directory, '--config', configFile], env);
    const closeBackend = () => closeServer(backend);
    const world = new World({ origin: `http://${at(admin)}`, directory, program, port, closeBackend });
    const ended = program.ended.then(({ stderr }) => Promise.reject(new Error(`it has ended: ${stderr}`)));
    const serves = until('the last route to answer', () => world.#answers(routes - 1), patientMs);
    await Promise.race([serves, ended]);
    ended.catch(() => undefined);
    return world;
  }

  /** Requests to the first routes, one each, all answered and counted. */
  async send(routes: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const numbers = Array.from({ length: routes }, (_, number) => number).values();
    const some = async () => {
      for (const number of numbers) await statusOf(this.#door, hostOf(number), agent, patientMs);
    };
    await Promise.all(Array.from({ length: connections }, some));
    agent.destroy();
    const counted = async () => {
      const response = await fetch(`${this.origin}/v1/traffic`);
      const { totals } = (await response.json()) as { readonly totals: { readonly requests: number } };
      return totals.requests >= routes || undefined;
    };
    await until('the requests to be counted', counted, patientMs);
  }

  /** Gives so many routes another rule, file by file. */
  change(routes: number, round: number): void {
    for (let from = 0; from < routes; from += routesInFile)
      writeRoutes(this.#directory, from, from + routesInFile, round);
  }

  /** Waits until a route has the rule of a round. */
  async changed(route: number, round: number): Promise<void> {
    const path = pathOf(round);
    const answers = async () => (await statusOf(this.#door, hostOf(route), false, 2000, path)) === 200 || undefined;
    await until('the change to be there', answers, patientMs);
  }

  /** The longest turn of the control plane's event loop since the last call, in milliseconds of the processor; those up to 40 are 0. */
  longestTurn(): number {
    const turns = readFileSync(this.#turnFile, 'utf8').split('\n').map(Number);
    writeFileSync(this.#turnFile, '');
    return Math.max(0, ...turns);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#program.kill('SIGTERM');
    await this.#program.ended;
    await this.#closeBackend();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get #door() {
    return { address: '127.0.0.1', port: this.#port };
  }

  async #answers(route: number): Promise<true | undefined> {
    return (await statusOf(this.#door, hostOf(route), false, 2000)) === 200 || undefined;
  }
}

const turnFileOf = (directory: string): string => join(directory, '.turns');
const hostOf = (route: number): string => `r${route}.example.com`;
const pathOf = (round: number): string => `/round-${round}`;

function writeObjects(directory: string, file: string, objects: readonly object[]): void {
  // JSON is YAML, and quicker to read.
  writeFileSync(join(directory, file), objects.map((object) => JSON.stringify(object)).join('\n---\n'));
}

/** Each on a host of its own, with two rules: the second one answers everything. */
function writeRoutes(directory: string, from: number, to: number, round = 0): void {
  const objects = Array.from({ length: to - from }, (_, offset) => {
    const number = from + offset;
    const backendRefs = [{ name: `s${number % services}`, port: 80 }];
    const rules = [
      { matches: [{ path: { type: 'PathPrefix', value: pathOf(round) } }], backendRefs },
      { matches: [{ path: { type: 'Exact', value: '/' } }], backendRefs },
    ];
    return routeObject(`r${number}`, hostOf(number), rules);
  });
  writeObjects(directory, `routes-${from}.yaml`, objects);
}
