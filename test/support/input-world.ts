import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { type Running, startProgram } from './program.ts';
import { request } from './request.ts';
import { gatewayObjects, routeObject } from './standalone.ts';
import { until } from './until.ts';

const patient = 600_000;
const at = (port: number): string => `127.0.0.1:${port}`;

/**
 * How long others may be held up, in milliseconds of the processor that the bound was set with: four times the 250 that are promised. What this is for takes
 * seconds, or never ends.
 */
const mostMs = 1_000;
/** What that processor takes for the work of `slowness`. */
const referenceMs = 200;
/** A turn that is too long by chance is short at another try: one that the input makes long is long at each. */
const tries = 5;

/** How many times slower than that this machine is now: cores that are shared run slower, whatever a process is charged for. */
function slowness(): number {
  const { user } = process.cpuUsage();
  let sum = 0;
  for (let index = 0; index < 50_000_000; index += 1) sum = (sum + index) % 1_000_003;
  const tookMs = (process.cpuUsage().user - user) / 1_000;
  return sum < 0 ? 0 : Math.max(1, tookMs / referenceMs);
}

/** The longest turns of the event loop at each try, in milliseconds. */
export interface Turns {
  readonly isBearable: boolean;
  readonly turnsMs: readonly number[];
}

/** `gatewright run` as a process of its own, with a proxy that serves a healthy route, and a watch on how long its event loop is held. */
export class InputWorld {
  readonly admin: string;
  readonly #directory: string;
  readonly #program: Running;
  readonly #turnFile: string;
  readonly proxyPort: number;

  private constructor(parts: {
    admin: string;
    directory: string;
    program: Running;
    turnFile: string;
    proxyPort: number;
  }) {
    this.admin = parts.admin;
    this.#directory = parts.directory;
    this.#program = parts.program;
    this.#turnFile = parts.turnFile;
    this.proxyPort = parts.proxyPort;
  }

  /** `file`: the program, when it is not the one of this checkout. */
  static async start({ file }: { readonly file?: string } = {}): Promise<InputWorld> {
    const directory = mkdtempSync(join(tmpdir(), 'gatewright-input-'));
    const [proxyPort, adminPort] = [await freePort(), await freePort()];
    const turnFile = join(directory, '.turns');
    writeFileSync(turnFile, '');
    const config = {
      xds: { listen: at(await freePort()) },
      admin: { listen: at(adminPort), layout2Listen: at(await freePort()) },
      metrics: { listen: at(await freePort()) },
      dataplane: { adminListen: at(await freePort()) },
      adminAuth: { requestsPerSecond: 0 },
      state: { directory: join(directory, '.state') },
      log: { level: 'warn' },
    };
    const configFile = join(directory, '.config.yaml');
    writeFileSync(configFile, JSON.stringify(config));
    const answer = { type: 'RequestRedirect', requestRedirect: { statusCode: 302, hostname: 'served.test' } };
    const [gatewayClass, gateway] = gatewayObjects(proxyPort) as [object, { spec: object }];
    const open = { ...gateway, spec: { ...gateway.spec, allowedListeners: { namespaces: { from: 'All' } } } };
    const healthy = [gatewayClass, open, routeObject('healthy', 'healthy.test', [{ filters: [answer] }])];
    writeFileSync(join(directory, 'healthy.yaml'), healthy.map((object) => stringify(object)).join('---\n'));
    const watch = fileURLToPath(new URL('./turn-watch.ts', import.meta.url));
    const env = { TURN_WATCH: turnFile, NODE_OPTIONS: `--import=${watch}` };
    const args = ['run', '-f', directory, '--config', configFile];
    const program = startProgram(args, env, file === undefined ? {} : { file });
    const world = new InputWorld({ admin: `http://${at(adminPort)}`, directory, program, turnFile, proxyPort });
    const ended = program.ended.then(({ stderr }) => Promise.reject(new Error(`it has ended: ${stderr}`)));
    await Promise.race([world.serves('healthy.test'), ended]);
    // Later its end is the test's own doing.
    ended.catch(() => undefined);
    return world;
  }

  /** Writes a file of the directory. */
  write(name: string, content: string | readonly object[]): void {
    const text =
      typeof content === 'string' ? content : content.map((object) => JSON.stringify(object)).join('\n---\n');
    writeFileSync(join(this.#directory, name), text);
  }

  /** Waits until the proxy answers for the host. */
  async serves(host: string): Promise<void> {
    const answered = async () => {
      const url = `http://${at(this.proxyPort)}/`;
      const answer = await request(url, { headers: { host } }).catch(() => undefined);
      return answer?.status === 302 || undefined;
    };
    await until(`the proxy to serve ${host}`, answered, patient);
  }

  /** The longest turn of the event loop since the last call, in milliseconds of the processor; 0 for 40 or less. */
  #longestTurn(): number {
    const turns = readFileSync(this.#turnFile, 'utf8').split('\n').map(Number);
    writeFileSync(this.#turnFile, '');
    return Math.max(0, ...turns);
  }

  /**
   * Does something until it holds up others for no longer than they may be, five times at most.
   *
   * @param act gets the number of the try, from 1, and does all that may hold up the event loop
   */
  async turnsOf(act: (attempt: number) => Promise<void>): Promise<Turns> {
    const turnsMs: number[] = [];
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      this.#longestTurn();
      await act(attempt);
      const turnMs = this.#longestTurn();
      turnsMs.push(turnMs);
      if (turnMs < mostMs || turnMs < mostMs * slowness()) return { isBearable: true, turnsMs };
    }
    return { isBearable: false, turnsMs };
  }

  async stop(): Promise<void> {
    this.#program.kill('SIGTERM');
    await this.#program.ended;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
