import type { KubeClient } from '../../../src/kube/index.ts';
import { poll } from './daemons.ts';
import type { Etcd } from './etcd.ts';

/** Of the server alone: it renews its leases, and it registers the groups of definitions and forgets them by itself. */
const ofServer = ['/registry/leases/', '/registry/masterleases/', '/registry/apiregistration.k8s.io/'];

/** What a new API server has, to bring one back to it that was used: objects of all kinds, definitions, roles and the ports given away. */
export class FreshState {
  readonly #etcd: Etcd;
  readonly #client: KubeClient;
  readonly #entries: ReadonlyMap<string, string>;
  readonly #groups: string;

  private constructor(etcd: Etcd, client: KubeClient, entries: ReadonlyMap<string, string>, groups: string) {
    this.#etcd = etcd;
    this.#client = client;
    this.#entries = entries;
    this.#groups = groups;
  }

  /** @param client of the administrator */
  static async of(etcd: Etcd, client: KubeClient): Promise<FreshState> {
    return new FreshState(etcd, client, await etcd.entries(), await groupsOf(client));
  }

  /**
   * Objects go at once, for no controller runs that would end a namespace. The server sees it as it sees each change, so it is fresh
   * when it has also forgotten the groups of definitions.
   */
  async restore(): Promise<void> {
    const now = await this.#etcd.entries();
    for (const key of now.keys()) if (isOfTests(key) && !this.#entries.has(key)) await this.#etcd.delete(key);
    for (const [key, value] of this.#entries)
      if (isOfTests(key) && now.get(key) !== value) await this.#etcd.put(key, value);
    await poll(async () => (await groupsOf(this.#client)) === this.#groups, 'removal of definitions');
  }
}

const isOfTests = (key: string): boolean => !ofServer.some((prefix) => key.startsWith(prefix));

async function groupsOf(client: KubeClient): Promise<string> {
  const { groups } = await client.json<{ groups: readonly { name: string }[] }>({ method: 'GET', path: '/apis' });
  return groups
    .map(({ name }) => name)
    .sort()
    .join();
}
