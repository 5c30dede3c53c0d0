/** One resource as Envoy's `/config_dump` has it. */
export interface HeldResource {
  /** `Listener`, `Cluster`, … */
  readonly type: string;
  readonly name: string;
  readonly body: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** Where a dump has the resources of a type that came by xDS. Source: envoy/admin/v3/config_dump_shared.proto. */
const sections: Readonly<Record<string, (section: Json) => readonly unknown[]>> = {
  ListenersConfigDump: (section) =>
    list(section, 'dynamic_listeners').map((entry) => field(entry.active_state, 'listener')),
  ClustersConfigDump: (section) =>
    ['dynamic_active_clusters', 'dynamic_warming_clusters'].flatMap((key) =>
      list(section, key).map((entry) => entry.cluster),
    ),
  ScopedRoutesConfigDump: (section) =>
    list(section, 'dynamic_scoped_route_configs').flatMap((entry) => list(entry, 'scoped_route_configs')),
  EndpointsConfigDump: (section) => list(section, 'dynamic_endpoint_configs').map((entry) => entry.endpoint_config),
  SecretsConfigDump: (section) => list(section, 'dynamic_active_secrets').map((entry) => entry.secret),
  EcdsConfigDump: (section) => list(section, 'ecds_filters').map((entry) => entry.ecds_filter),
};

/** The resources that an Envoy has from its control plane. */
export function heldResources(dump: unknown): readonly HeldResource[] {
  const bodies = list(dump as Json, 'configs').flatMap((section) => sections[typeOf(section)]?.(section) ?? []);
  const found = bodies.filter(isObject).map((body) => ({ type: typeOf(body), name: nameOf(body), body }));
  // One listener or host may use what another does, and each has it in the dump.
  return [...new Map(found.map((resource) => [`${resource.type} ${resource.name}`, resource])).values()];
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function list(value: unknown, key: string): readonly Json[] {
  const found = field(value, key);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

const field = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

/** `Listener` for `type.googleapis.com/envoy.config.listener.v3.Listener`. */
function typeOf(value: Json): string {
  const type = String(value['@type'] ?? '');
  return type.slice(type.lastIndexOf('.') + 1);
}

/** Endpoints go by the name of their cluster. */
const nameOf = (body: Json): string => String(body.name ?? body.cluster_name ?? '');
