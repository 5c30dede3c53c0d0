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

/** The parts of Envoy's `/config_dump`, by the short name of their type. */
function part(dump: unknown, type: string): Json {
  return objects(dump, 'configs').find((config) => text(config['@type']).endsWith(`.${type}`)) ?? {};
}

/** `/api/v1/config`: what Envoy itself says it runs, in an overview. Secrets are names and no more. */
export function configRecord(dump: unknown, applied: AppliedSnapshot | undefined) {
  return {
    version: applied?.id ?? null,
    applied_at: applied?.appliedAt.toISOString() ?? null,
    listeners: objects(part(dump, 'ListenersConfigDump'), 'dynamic_listeners').flatMap(listener),
    routes: [
      ...objects(part(dump, 'RoutesConfigDump'), 'dynamic_route_configs'),
      ...objects(part(dump, 'RoutesConfigDump'), 'static_route_configs'),
    ]
      .map(routeTable)
      .concat(objects(part(dump, 'ScopedRoutesConfigDump'), 'dynamic_scoped_route_configs').flatMap(scopedTables)),
    clusters: objects(part(dump, 'ClustersConfigDump'), 'dynamic_active_clusters').map(cluster),
    secrets: objects(part(dump, 'SecretsConfigDump'), 'dynamic_active_secrets').map(({ name }) => text(name)),
  };
}

function listener({ name, active_state, error_state }: Json) {
  const error = isObject(error_state) ? text(error_state.details) : '';
  if (!isObject(active_state))
    return error === '' ? [] : [{ name: text(name), version: '', last_updated: null, error }];
  const { version_info, last_updated } = active_state;
  return [{ name: text(name), version: text(version_info), last_updated: text(last_updated) || null, error }];
}

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

/** Each scope has its routes inline; the version is that of the answer that brought the last change of any. */
const scopedTables = ({ version_info, last_updated, scoped_route_configs }: Json) =>
  objects({ scoped_route_configs }, 'scoped_route_configs').map(({ route_configuration }) =>
    routeTable({ version_info, last_updated, route_config: route_configuration }),
  );

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
