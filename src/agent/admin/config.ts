import { jsonParts } from '../../std/json/index.ts';
import type { AppliedSnapshot } from '../relay/index.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects of a list in an object; nothing when it has no such list. */
function objects(value: unknown, key: string): Json[] {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found.filter(isObject) : [];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Of `/config_dump`: the lists of its parts that are shown. Source: envoy/admin/v3/config_dump_shared.proto. */
const shownLists = new Set([
  'dynamic_listeners',
  'dynamic_route_configs',
  'static_route_configs',
  'dynamic_active_clusters',
  'dynamic_active_secrets',
]);
const scopedTables = 'dynamic_scoped_route_configs';

/** What is read of the dump, each as a whole: an entry of one of these lists, or a scope of one of the scoped tables, with what is said of all its scopes. */
function isRead([configs, , list = '', , field, , ...deeper]: readonly string[], length: number): boolean {
  if (configs !== 'configs' || deeper.length > 0) return false;
  if (length === 4) return shownLists.has(list);
  if (list !== scopedTables) return false;
  return field === 'scoped_route_configs' ? length === 6 : length === 5;
}

/** `/api/v1/config`: what Envoy itself says it runs, in an overview. Secrets are names and no more. `dump`: Envoy's `/config_dump`, while it comes in. */
export async function configRecord(dump: AsyncIterable<Buffer>, applied: AppliedSnapshot | undefined) {
  const reader = new DumpReader();
  for await (const { path, bytes } of jsonParts(dump, (at) => isRead(at, at.length)))
    if (path !== undefined) reader.take(path, JSON.parse(bytes.toString()));
  return {
    version: applied?.id ?? null,
    applied_at: applied?.appliedAt.toISOString() ?? null,
    ...reader.found(),
  };
}

class DumpReader {
  readonly #listeners: ReturnType<typeof listener> = [];
  readonly #dynamicTables: RouteTable[] = [];
  readonly #staticTables: RouteTable[] = [];
  readonly #scoped: ScopedTables[] = [];
  readonly #clusters: ReturnType<typeof cluster>[] = [];
  readonly #secrets: string[] = [];

  take([, , list, , field]: readonly string[], value: unknown): void {
    if (list === scopedTables) this.#takeScoped(field, value);
    else if (!isObject(value)) return;
    else if (list === 'dynamic_listeners') this.#listeners.push(...listener(value));
    else if (list === 'dynamic_route_configs') this.#dynamicTables.push(routeTable(value));
    else if (list === 'static_route_configs') this.#staticTables.push(routeTable(value));
    else if (list === 'dynamic_active_clusters') this.#clusters.push(cluster(value));
    else this.#secrets.push(text(value.name));
  }

  found() {
    return {
      listeners: this.#listeners,
      routes: [...this.#dynamicTables, ...this.#staticTables, ...this.#scoped.flatMap(tablesOf)],
      clusters: this.#clusters,
      secrets: this.#secrets,
    };
  }

  /** Envoy writes the fields of a message in their order: a name, which each has, begins the next. */
  #takeScoped(field: string | undefined, value: unknown): void {
    if (field === 'name' || this.#scoped.length === 0)
      this.#scoped.push({ version: '', lastUpdated: null, tables: [] });
    const scoped = this.#scoped.at(-1) as ScopedTables;
    if (field === 'version_info') scoped.version = text(value);
    if (field === 'last_updated') scoped.lastUpdated = text(value) || null;
    if (field === 'scoped_route_configs' && isObject(value))
      scoped.tables.push(routeTable({ route_config: value.route_configuration }));
  }
}

/** The scopes of one listener. Each has its routes inline; the version is that of the answer that brought the last change of any. */
interface ScopedTables {
  version: string;
  lastUpdated: string | null;
  readonly tables: RouteTable[];
}

const tablesOf = ({ version, lastUpdated, tables }: ScopedTables): RouteTable[] =>
  tables.map((table) => ({ ...table, version, last_updated: lastUpdated }));

function listener({ name, active_state, error_state }: Json) {
  const error = isObject(error_state) ? text(error_state.details) : '';
  if (!isObject(active_state))
    return error === '' ? [] : [{ name: text(name), version: '', last_updated: null, error }];
  const { version_info, last_updated } = active_state;
  return [{ name: text(name), version: text(version_info), last_updated: text(last_updated) || null, error }];
}

type RouteTable = ReturnType<typeof routeTable>;

function routeTable({ version_info, last_updated, route_config }: Json) {
  const hosts = objects(route_config, 'virtual_hosts');
  return {
    name: isObject(route_config) ? text(route_config.name) : '',
    version: text(version_info),
    last_updated: text(last_updated) || null,
    hosts: hosts.flatMap(hostsOf),
    routes: hosts.reduce((total, host) => total + objects(host, 'routes').length, 0),
  };
}

/** The scope of one host takes all domains, because its key has selected the host already; its virtual host is called by it. */
function hostsOf({ name, domains }: Json): string[] {
  const all = Array.isArray(domains) ? domains.map(text) : [];
  return all.length === 1 && all[0] === '*' ? [text(name) || '*'] : all;
}

const cluster = ({ version_info, last_updated, cluster: body }: Json) => ({
  name: isObject(body) ? text(body.name) : '',
  version: text(version_info),
  last_updated: text(last_updated) || null,
});
