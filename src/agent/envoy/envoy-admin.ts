import { type IncomingMessage, request } from 'node:http';
import { formatAddress } from '../../config/index.ts';
import { trafficPrefix } from '../../contracts/index.ts';
import type { ListenerWork } from '../relay/index.ts';
import { type EnvoyCluster, readCluster } from './clusters.ts';
import { jsonItems } from './json-items.ts';
import { type EnvoyStats, readStats } from './stats.ts';
import { readUsedStats, type UsedStats } from './used-stats.ts';

/** Envoy's `/server_info`, as far as we look at it. */
export interface ServerInfo {
  /** Such as `1.40.0`. */
  readonly version: string;
  /** `LIVE`, `DRAINING`, `PRE_INITIALIZING` or `INITIALIZING`. */
  readonly state: string;
}

/** One listener that Envoy has opened. */
export interface ActiveListener {
  readonly name: string;
  /** `host:port` of each address it is bound to. */
  readonly addresses: readonly string[];
}

/** What a drain waits for. */
export interface ActiveWork {
  readonly connections: number;
  readonly requests: number;
}

/** Envoy's admin interface could not be asked, or answered with an error. */
export class EnvoyAdminError extends Error {
  readonly code = 'envoy_admin_failed';
  override readonly name = 'EnvoyAdminError';
}

/** Envoy answered with status 400: what it was asked makes no sense to it. The message is its own. */
export class EnvoyQueryError extends Error {
  readonly code = 'envoy_query_invalid';
  override readonly name = 'EnvoyQueryError';
}

// Listeners of users have names with a slash in them; `admin` is Envoy's own. The part before the last dot may hold dots.
const activeStat = /^(listener|http)\.(.+)\.downstream_(cx|rq)_active$/;
/** RE2 has no word for "does not begin with". */
const allButTraffic = [...trafficPrefix].map((letter, at) => `^${trafficPrefix.slice(0, at)}[^${letter}]`).join('|');
/** For all of a dump. */
const dumpTimeoutMs = 60_000;
const perWorker = /\.worker_\d+$/;

/** Envoy's admin interface on its unix socket, which may be another one at each call. Every call rejects with EnvoyAdminError or EnvoyQueryError. */
export class EnvoyAdmin {
  readonly #socketPath: () => string;
  readonly #timeoutMs: number;

  /** `timeoutMs` is long: an Envoy that is short of processor time is slow to answer, and serves all the same. */
  constructor(socketPath: () => string, timeoutMs = 5000) {
    this.#socketPath = socketPath;
    this.#timeoutMs = timeoutMs;
  }

  async serverInfo(): Promise<ServerInfo> {
    const { version, state } = this.#json(await this.get('/server_info')) as { version?: string; state?: string };
    // "<commit>/1.40.0/Clean/RELEASE/BoringSSL"
    return { version: version?.split('/')[1] ?? '', state: state ?? '' };
  }

  async listeners(): Promise<ActiveListener[]> {
    const { listener_statuses = [] } = this.#json(await this.get('/listeners?format=json')) as ListenersDump;
    return listener_statuses.map((status) => ({
      name: status.name,
      addresses: [status.local_address, ...(status.additional_local_addresses ?? [])].flatMap(addressesOf),
    }));
  }

  /** Open connections and requests of users. */
  async activeWork(): Promise<ActiveWork> {
    const filter = encodeURIComponent('^(listener|http)\\..*downstream_(cx|rq)_active$');
    const { stats = [] } = this.#json(await this.get(`/stats?format=json&filter=${filter}`)) as StatsDump;
    let connections = 0;
    let requests = 0;
    for (const { name = '', value = 0 } of stats) {
      const [, kind, scope = '', unit] = activeStat.exec(name) ?? [];
      // Listeners within the proxy keep connections of their own.
      if (scope.startsWith('admin') || scope.startsWith('gatewright_') || perWorker.test(scope)) continue;
      if (kind === 'listener' && unit === 'cx') connections += value;
      if (kind === 'http' && unit === 'rq') requests += value;
    }
    return { connections, requests };
  }

  /** Listeners that are on their way in or out. */
  async listenerWork(): Promise<ListenerWork> {
    const filter = encodeURIComponent('^listener_manager\\.total_.*(draining|warming)$');
    const { stats = [] } = this.#json(await this.get(`/stats?format=json&type=Gauges&filter=${filter}`)) as StatsDump;
    const sumOf = (end: string) =>
      stats.reduce((sum, { name = '', value = 0 }) => sum + (name.endsWith(end) ? value : 0), 0);
    return { draining: sumOf('draining'), warming: sumOf('warming') };
  }

  /** Those of these clusters that are not in use yet, because they wait for their endpoints. */
  async warmingClusters(names: readonly string[]): Promise<readonly string[]> {
    // Envoy writes down every cluster that the expression finds: of thousands it is asked for all, and not by a path of megabytes.
    const few = names.length > 50 ? '' : `&name_regex=${encodeURIComponent(names.map(literally).join('|'))}`;
    const answer = await this.get(`/config_dump?resource=dynamic_warming_clusters${few}`);
    const { configs = [] } = this.#json(answer) as WarmingDump;
    const warming = new Set(configs.map(({ cluster }) => cluster?.name));
    return names.filter((name) => warming.has(name));
  }

  /** The statistics whose names the regular expression finds. */
  async stats(filter: string): Promise<EnvoyStats> {
    // Being asked makes Envoy merge its histograms, after it has answered: the answer to the next question has them.
    await this.get('/stats?filter=^$');
    const query = `format=json&histogram_buckets=disjoint&filter=${encodeURIComponent(filter)}`;
    return readStats(this.#json(await this.get(`/stats?${query}`)));
  }

  /**
   * Those of the statistics that have counted something. Histograms are as they were when Envoy was last asked for anything of
   * them: this is asked again and again, and thousands of clusters make every question cost.
   */
  async usedStats(filter: string): Promise<UsedStats> {
    const query = `format=json&usedonly&histogram_buckets=detailed&filter=${encodeURIComponent(filter)}`;
    return readUsedStats(this.#json(await this.get(`/stats?${query}`)));
  }

  /** Counters whose names the regular expression finds, each a line `NAME: VALUE`, while they come in. Those that Envoy let go are not among them. */
  counters(filter: string): Promise<AsyncIterable<Buffer>> {
    return this.#open('GET', `/stats?type=Counters&filter=${encodeURIComponent(filter)}`);
  }

  /** The clusters it was sent, with their endpoints; `filter`: those whose names the regular expression finds. */
  async clusters(filter?: string): Promise<EnvoyCluster[]> {
    const path = `/clusters?format=json${filter === undefined ? '' : `&filter=${encodeURIComponent(filter)}`}`;
    const answer = await this.#open('GET', path);
    const clusters: EnvoyCluster[] = [];
    try {
      for await (const item of jsonItems(answer)) {
        const cluster = readCluster(item);
        if (cluster) clusters.push(cluster);
      }
    } catch (cause) {
      throw this.#failed('GET', path, cause);
    }
    return clusters;
  }

  /**
   * The whole configuration as Envoy has it, in JSON while it comes in, private keys left out by itself; a hundred megabytes where there are ten thousands of
   * routes, which take Envoy seconds. With or without endpoints.
   */
  configDump({ endpoints }: { readonly endpoints: boolean }): Promise<AsyncIterable<Buffer>> {
    return this.#open('GET', `/config_dump${endpoints ? '?include_eds' : ''}`, dumpTimeoutMs);
  }

  /**
   * Envoy's statistics in Prometheus' text format, while they come in; megabytes where there are thousands of clusters. Without the counters of
   * traffic, of which there are several for each route.
   */
  prometheus(): Promise<AsyncIterable<Buffer>> {
    return this.#open('GET', `/stats/prometheus?filter=${encodeURIComponent(allButTraffic)}`);
  }

  /** From now on every response closes its connection, and `/ready` says no. */
  async failHealthCheck(): Promise<void> {
    await this.#call('POST', '/healthcheck/fail');
  }

  get(path: string): Promise<string> {
    return this.#call('GET', path);
  }

  async #call(method: 'GET' | 'POST', path: string): Promise<string> {
    const answer = await this.#open(method, path);
    try {
      return await textOf(answer);
    } catch (cause) {
      throw this.#failed(method, path, cause);
    }
  }

  /** An answer that has begun. The time is for all of it. */
  #open(method: 'GET' | 'POST', path: string, timeoutMs = this.#timeoutMs): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeoutMs);
      const call = request({ socketPath: this.#socketPath(), method, path, signal, agent: false }, (response) => {
        if (response.statusCode === 200) {
          resolve(response);
          return;
        }
        if (response.statusCode === 400) {
          textOf(response).then(
            (text) => reject(new EnvoyQueryError(text.trim())),
            (cause) => reject(this.#failed(method, path, cause)),
          );
          return;
        }
        response.resume();
        reject(this.#failed(method, path, `status ${response.statusCode}`));
      });
      call.on('error', (cause) => reject(this.#failed(method, path, cause)));
      call.end();
    });
  }

  #failed(method: string, path: string, cause: unknown): EnvoyAdminError {
    return new EnvoyAdminError(`Envoy's admin interface: ${method} ${path}: ${cause}`, { cause });
  }

  #json(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new EnvoyAdminError("Envoy's admin interface answered no JSON", { cause });
    }
  }
}

/** An expression of RE2 that finds this text alone. */
const literally = (text: string) => text.replace(/[^\w/]/g, '\\$&');

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

interface AddressDump {
  readonly socket_address?: { readonly address: string; readonly port_value: number };
}

interface ListenersDump {
  readonly listener_statuses?: readonly {
    readonly name: string;
    readonly local_address: AddressDump;
    readonly additional_local_addresses?: readonly AddressDump[];
  }[];
}

interface WarmingDump {
  readonly configs?: readonly { readonly cluster?: { readonly name?: string } }[];
}

interface StatsDump {
  readonly stats?: readonly { readonly name?: string; readonly value?: number }[];
}

function addressesOf({ socket_address: socket }: AddressDump): string[] {
  if (!socket) return [];
  return [formatAddress({ host: socket.address, port: socket.port_value })];
}
