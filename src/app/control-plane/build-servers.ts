import { type Admin, createAdmin, listenAdmin, openWarning, type ResourceStore } from '../../admin/index.ts';
import { formatAddress } from '../../config/index.ts';
import type { Source } from '../../sources/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import { pageFolder, plainXdsWarning } from '../process/index.ts';
import type { AddOns } from './add-ons.ts';
import type { Connected } from './connect.ts';
import type { Core } from './core.ts';
import { kindSchemas } from './kind-schemas.ts';
import { readNamespaces } from './read-namespaces.ts';

/** Where a control plane listens. */
export interface Ports {
  readonly xds: number;
  readonly layout1: number;
  readonly layout2: number;
  readonly metrics: number;
}

/** The xDS server and the admin API. */
export interface Servers {
  /** Opens all ports; rejects with a ConfigError for one that is not available. */
  listen(): Promise<OpenServers>;
}

export interface OpenServers {
  readonly ports: Ports;
  /** Ends all streams at once, and then the connections. */
  closeXds(): Promise<void>;
  closeAdmin(): Promise<void>;
}

export interface ServersParts {
  readonly source: Pick<Source, 'problems'>;
  /** Where the admin API writes what the source then reports. */
  readonly resources: ResourceStore;
  readonly addOns: Pick<AddOns, 'admin' | 'usage' | 'usageStoreTrouble'>;
}

export function buildServers(connected: Connected, { source, resources, addOns }: ServersParts): Servers {
  const { core } = connected;
  const { xds, config } = core;
  if (addOns.usage) xds.agentServices.serveUsage(addOns.usage);
  connected.core.metrics.controllers.readFiles(() => source.problems?.() ?? []);
  const admin = buildAdmin(connected, { source, resources, addOns });
  return {
    async listen() {
      const xdsPort = await xds.listen(formatAddress(config.xds.listen), core.certificates);
      const listeners = await listenAdmin(admin, config);
      const { layout1, layout2, metrics } = listeners;
      const ports = { xds: xdsPort, layout1: layout1.port, layout2: layout2.port, metrics: metrics.port };
      logStart(core, ports);
      return { ports, closeXds: () => xds.close(), closeAdmin: () => listeners.close() };
    },
  };
}

function logStart({ config, logger, version, certificates }: Core, ports: Ports): void {
  const log = componentLogger(logger, 'control-plane');
  log.info({ ...ports, version }, 'control plane listens');
  const open = openWarning(config.adminAuth, config.admin.listen);
  if (open) log.warn(open);
  const plain = certificates === undefined ? plainXdsWarning(config.xds) : undefined;
  if (plain) log.warn(plain);
}

function buildAdmin(
  { core, edges, ingresses, replicas, limits, progress }: Connected,
  { source, resources, addOns }: ServersParts,
): Admin {
  const { graph, nodes, xds, traffic, metrics, config, access, leadership, version, logger, events } = core;
  return createAdmin({
    graph,
    nodes,
    // The replica that has it hears of it by the feed.
    offerAgain: (node) => xds.offerAgain(node) || replicas.feed.offerAgain(node),
    replicas,
    traffic,
    showsRequests: openWarning(config.adminAuth, config.admin.listen) === undefined,
    resourcesOf: (gateway) => xds.resourcesOf(gateway),
    triersOf: (gateway) => xds.triersOf(gateway),
    metrics,
    onAnswered: (request) => core.traced.tracer?.answered(request),
    config,
    access,
    readiness: () => progress.readiness(),
    leadership,
    version,
    logger,
    events,
    history: core.history,
    unreadable: () => edges.unreadable.reasons,
    storeTroubles: () => ({ limits: limits.storeTrouble, usage: addOns.usageStoreTrouble?.() }),
    availability: (kind) => progress.availabilityOf(kind),
    infrastructure: edges.proxies,
    reads: readNamespaces(config),
    ingresses,
    files: () => source.problems?.() ?? [],
    resources,
    schemaOf: kindSchemas(core.definitions),
    addons: addOns.admin,
    page: config.dashboard.enabled ? pageFolder : undefined,
    pageMayWrite: !(config.dashboard.readOnly ?? resources?.statuses !== 'computed'),
  });
}
