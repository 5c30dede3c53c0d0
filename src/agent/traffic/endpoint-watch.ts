import { type EndpointReport, trafficLimits } from '../../contracts/index.ts';
import type { Clock } from '../clock.ts';
import type { EnvoyCluster, HostFailure } from '../envoy/clusters.ts';
import type { EnvoyAdmin } from '../envoy/envoy-admin.ts';
import type { Reports } from './reports.ts';

export interface EndpointWatchOptions {
  readonly admin: Pick<EnvoyAdmin, 'counters' | 'clusters'>;
  readonly reports: Pick<Reports, 'endpoints'>;
  readonly clock: Clock;
}

/** Counters that move when an endpoint fails a check or is ejected. Only backends with such checks have them. */
const filter = '^cluster\\..+\\.(health_check\\.failure|outlier_detection\\.ejections_enforced_total)$';
const counterForm =
  /^cluster\.(?<name>.+)\.(?:health_check\.failure|outlier_detection\.ejections_enforced_total): (?<value>\d+)$/;

/** Envoy writes all endpoints of a cluster, so it is asked for few at once. */
const mostClusters = 50;

/** The control plane may be another one meanwhile, and forgets what is not repeated. */
const repeatMs = 60_000;

const verdicts: Partial<Record<HostFailure, EndpointReport['verdict']>> = {
  active_check: 'health_check_fails',
  active_check_timeout: 'health_check_times_out',
  outlier: 'ejected',
};

/**
 * Endpoints that Envoy leaves out because they fail its checks. Looks only at clusters whose counters say that something happened, and at those with such
 * endpoints: all of them would be megabytes.
 */
export class EndpointWatch {
  readonly #options: EndpointWatchOptions;
  readonly #values = new Map<string, number>();
  /** By backend and address. */
  #known = new Map<string, EndpointReport>();
  #reportedAt = 0;

  constructor(options: EndpointWatchOptions) {
    this.#options = options;
  }

  /** Looks once, and reports when anything differs. Rejects when Envoy does not answer. */
  async look(): Promise<void> {
    const { admin, reports, clock } = this.#options;
    const names = new Set([...this.#known.values()].map(({ backend }) => backend));
    for (const name of await this.#moved()) names.add(name);
    if (names.size === 0) return;
    const asked = [...names].slice(0, mostClusters);
    const found = this.#failing(await admin.clusters(`^(?:${asked.map(quoted).join('|')})$`));
    const isSame =
      found.size === this.#known.size &&
      [...found].every(([key, { verdict }]) => this.#known.get(key)?.verdict === verdict);
    this.#known = found;
    const now = clock.now().getTime();
    if (isSame && now - this.#reportedAt < repeatMs) return;
    this.#reportedAt = now;
    reports.endpoints([...found.values()]);
  }

  /** Clusters whose counters have moved since the last look. */
  async #moved(): Promise<string[]> {
    const moved: string[] = [];
    let text = '';
    for await (const chunk of await this.#options.admin.counters(filter)) text += chunk.toString();
    for (const line of text.split('\n')) {
      const { name, value } = counterForm.exec(line)?.groups ?? {};
      if (name === undefined) continue;
      const key = line.slice(0, line.lastIndexOf(': '));
      const before = this.#values.get(key) ?? 0;
      this.#values.set(key, Number(value));
      if (Number(value) !== before) moved.push(name);
    }
    return moved;
  }

  #failing(clusters: readonly EnvoyCluster[]): Map<string, EndpointReport> {
    const found = new Map<string, EndpointReport>();
    const now = this.#options.clock.now().getTime();
    for (const { name: backend, hosts } of clusters)
      for (const { address, failure } of hosts) {
        const verdict = failure === null ? undefined : verdicts[failure];
        if (verdict === undefined || found.size >= trafficLimits.endpoints) continue;
        const key = `${backend} ${address}`;
        const known = this.#known.get(key);
        found.set(key, { backend, address, verdict, since: known?.verdict === verdict ? known.since : now });
      }
    return found;
  }
}

const quoted = (name: string): string => name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
