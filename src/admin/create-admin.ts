import { randomBytes } from 'node:crypto';
import type { Router } from '@koa/router';
import type Koa from 'koa';
import type { Middleware } from 'koa';
import type { AdminAuthConfig } from '../config/index.ts';
import type { GraphView } from '../graph/index.ts';
import { PasswordChecks } from '../passwords/index.ts';
import { ManifestReader } from '../sources/index.ts';
import { componentLogger, type Logger, type MetricsText } from '../telemetry/index.ts';
import { TrafficStore } from '../traffic/index.ts';
import type { NodeRef, NodesView } from '../xds/index.ts';
import type { AskAdmin, CreateAddons } from './addon.ts';
import { askInProcess } from './ask-in-process.ts';
import { type AdminAccess, tokensOf } from './auth/admin-access.ts';
import { audit, auditRejections } from './auth/audit.ts';
import { writeAuthorizer } from './auth/authorize-write.ts';
import { bearerAuth, type IsReadingOnly, readingOnly } from './auth/bearer-auth.ts';
import { browserGuard } from './auth/browser-guard.ts';
import { EventLog } from './events/index.ts';
import {
  type AnsweredRequest,
  type adminMetrics,
  compressed,
  cors,
  entityTag,
  hostGuard,
  rateLimit,
} from './http/index.ts';
import type { InfrastructureView } from './infrastructure/infrastructure-record.ts';
import { noIngresses } from './ingresses/served-ingress.ts';
import { absentEndpoints } from './layout1/absent.ts';
import { createLayout1 } from './layout1/app.ts';
import { control, inspection, managed, moreInspection, proposals } from './layout1/index.ts';
import { createLayout2 } from './layout2/app.ts';
import { managedKinds } from './managed-resources/managed-kinds.ts';
import type { ResourceStore } from './managed-resources/resource-store.ts';
import { createMetricsApp } from './metrics-app.ts';
import { ApiDescription, describedOperations } from './openapi/index.ts';
import { servePage } from './page/index.ts';
import { whenSynced } from './probes/index.ts';
import { alone } from './replicas/alone.ts';
import type { ReplicaFeed } from './replicas/feed.ts';
import { type BoundEndpoint, bind } from './resource/endpoint.ts';
import { type Gates, mount } from './resource/mount.ts';
import { SnapshotHistory } from './snapshots/snapshot-history.ts';
import type { AdminSources, Availability, Leadership, ManagedResources, Readiness, ReplicasView } from './sources.ts';
import { type StoreTroubles, storeWarnings, unreadableWarnings } from './summary/warnings.ts';

export interface AdminOptions {
  readonly graph: GraphView;
  /** Of all replicas. */
  readonly nodes: NodesView;
  /** The control planes that act as one, and what the others follow of this one; by default it is alone. */
  readonly replicas?: ReplicasView & { readonly feed: ReplicaFeed };
  /** What the proxies of a Gateway are sent; nothing by default. */
  readonly resourcesOf?: AdminSources['resourcesOf'];
  readonly metrics: MetricsText & { readonly admin: ReturnType<typeof adminMetrics> };
  /** Hears of each answered request, besides the metrics. */
  readonly onAnswered?: (request: AnsweredRequest) => void;
  readonly config: { readonly adminAuth: AdminAuthConfig; readonly controllerName: string };
  /** None by default. */
  readonly triersOf?: AdminSources['triersOf'];
  /** What only a cluster has; needed where the configuration asks for it. */
  readonly access?: AdminAccess | undefined;
  readonly readiness: () => Readiness;
  readonly leadership: () => Leadership;
  /** Of this program. */
  readonly version: string;
  readonly logger: Logger;
  readonly now?: () => Date;
  /** Where events are reported; without it nothing happens that readers could follow. */
  readonly events?: EventLog;
  /** What was published lately; nothing by default. */
  readonly history?: SnapshotHistory;
  /** Whether a kind can be read; every kind by default. */
  readonly availability?: (kind: string) => Availability;
  /** Namespaces that should be read and cannot, with why. */
  readonly unreadable?: () => ReadonlyMap<string, string>;
  /** Of servers that keep something; all answer by default. */
  readonly storeTroubles?: () => StoreTroubles;
  /** Namespaces that are read; all by default. */
  readonly reads?: AdminSources['reads'];
  /** What became of Ingresses; by default none is served. */
  readonly ingresses?: AdminSources['ingresses'] | undefined;
  /** What is wrong with files; none by default. */
  readonly files?: AdminSources['files'];
  /** Whether failed requests may be shown; true by default. */
  readonly showsRequests?: boolean;
  /** What passed through proxies; nothing by default. */
  readonly traffic?: AdminSources['traffic'];
  /** Nothing runs by default. */
  readonly infrastructure?: InfrastructureView;
  /** How long the agent of a data plane may take to answer; 2000 by default, as the contract has it. */
  readonly agentTimeoutMs?: number;
  /** Where managed resources are kept; without it there are none. */
  readonly resources?: ResourceStore | undefined;
  /** What objects of a kind may hold; not known by default. */
  readonly schemaOf?: AdminSources['schemaOf'];
  /** What reads bodies that are long; one of its own by default. */
  readonly reader?: ManifestReader | undefined;
  /** Sends a data plane once more what it rejected; without it that cannot be asked for. */
  readonly offerAgain?: ((node: NodeRef) => void) | undefined;
  /** The folder of the built page, which `/` of Layout 1 serves; without it there is no page. */
  readonly page?: string | undefined;
  /** Whether the page offers to change things; true by default. */
  readonly pageMayWrite?: boolean;
  /** Parts beside the gateway; paths of the contract that none answers are a 501. */
  readonly addons?: CreateAddons;
}

/** The three HTTP faces of the control plane, each for a listener of its own. */
export interface Admin {
  readonly layout1: Koa;
  readonly layout2: Koa;
  readonly metrics: Koa;
  /** Ends the answers that would go on for ever. */
  endStreams(): void;
}

const allAvailable: Availability = { available: true, message: '' };
const nothingManaged: ManagedResources = { readable: false, writableKinds: new Set(), writeAdvice: '' };
const allKinds: ReadonlySet<string> = new Set(managedKinds.map(({ name }) => name));
const managedBy = ({ writableKinds = () => allKinds, writeAdvice = '' }: ResourceStore): ManagedResources => ({
  readable: true,
  writableKinds: writableKinds(),
  writeAdvice,
});
const originOf = (store: ResourceStore | undefined): AdminSources['origin'] =>
  store?.statuses === 'computed'
    ? { mode: 'directory', directory: store.directory ?? null }
    : { mode: 'cluster', directory: null };
const nothingRuns: InfrastructureView = { parts: async () => ({ parts: [], warnings: [] }) };

/**
 * The admin API over read-only views; it keeps nothing between requests, and changes nothing but managed resources, which
 * come back through the source as any other change does. Throws a ConfigError when the token file cannot be read.
 */
export function createAdmin(options: AdminOptions): Admin {
  const { metrics, config } = options;
  const { adminAuth } = config;
  const logger = componentLogger(options.logger, 'admin');
  const observe = {
    logger,
    onRequest(request: AnsweredRequest) {
      metrics.admin.request(request);
      options.onAnswered?.(request);
    },
  };
  const { sources, endpoints, known, routed } = answering(options);
  const isReadingOnly = readingOnly(known);
  const gates: Gates = {
    tag: entityTag(() => sources.graph.snapshot()?.id),
    audit: audit(logger),
    guard: browserGuard(adminAuth.allowedOrigins),
    synced: whenSynced(sources),
  };
  const doors = doorsOf(options, isReadingOnly, logger);
  return {
    layout1: createLayout1({
      reader: options.reader ?? new ManifestReader(),
      observe,
      doors: (openPaths) => [
        compressed(),
        ...layout1Guards(adminAuth, isReadingOnly, logger)(openPaths),
        servePage({ folder: options.page, hostGuard: hostGuard({ allowed: adminAuth.allowedHosts ?? [] }) }),
        ...doors(true)(openPaths),
      ],
      mount(router) {
        mount(router, endpoints, gates);
        routed(router, isReadingOnly);
      },
    }),
    layout2: createLayout2({
      sources: { ...sources, metrics },
      gates,
      observe,
      doors: (probes) => [
        compressed(),
        ...pagesOf(adminAuth),
        ...doors(!adminAuth.unprotect?.includes('layout2'))(probes),
      ],
    }),
    metrics: createMetricsApp(metrics, observe, doors(adminAuth.protect.includes('metrics'))(new Set())),
    endStreams: () => sources.events.close(),
  };
}

/** What Layout 1 is made of. */
interface Answering {
  readonly sources: AdminSources;
  readonly endpoints: readonly BoundEndpoint[];
  /** All that there could be, whether something stands behind it here or not. */
  readonly known: readonly Pick<BoundEndpoint, 'method' | 'path' | 'onlyReads'>[];
  /** Says where the endpoints are asked in this process. */
  routed(router: Router, isReadingOnly: IsReadingOnly): void;
}

function answering(options: AdminOptions): Answering {
  const { access = {}, resources: store, offerAgain } = options;
  let ask: AskAdmin = () => Promise.reject(new Error('the admin API is not there yet'));
  const sources = sourcesOf(options, {
    description: new ApiDescription(options.version, () => describedOperations(addonEndpoints)),
    addonCapabilities: async () =>
      Object.assign({}, ...(await Promise.all(addons.map((addon) => addon.capabilities?.())))),
  });
  const addons = options.addons?.({ sources, ask: (...question) => ask(...question) }) ?? [];
  const addonEndpoints = addons.flatMap((addon) => addon.endpoints);
  const absent = absentEndpoints(addonEndpoints);
  const managedSources = store && { ...sources, store, authorize: writeAuthorizer(access.identities) };
  return {
    sources,
    endpoints: [
      ...bind([...inspection, ...moreInspection], sources),
      ...(managedSources ? bind([...managed, ...proposals], managedSources) : []),
      ...(offerAgain ? bind(control, { ...sources, offerAgain }) : []),
      ...addonEndpoints,
      ...absent,
    ],
    known: [...inspection, ...moreInspection, ...managed, ...proposals, ...control, ...addonEndpoints, ...absent],
    routed(router, isReadingOnly) {
      ask = askInProcess(router, isReadingOnly);
    },
  };
}

/** All that is read, with what stands in for parts that are not there. */
function sourcesOf(
  options: AdminOptions,
  ofAddons: Pick<AdminSources, 'description' | 'addonCapabilities'>,
): AdminSources {
  const { graph, nodes, config, readiness, leadership, version, now = () => new Date(), resources: store } = options;
  const { availability = () => allAvailable, infrastructure = nothingRuns, events = new EventLog() } = options;
  const replicas = options.replicas ?? alone({ graph, nodes, leadership });
  return {
    graph,
    nodes,
    replicas,
    feed: replicas.feed,
    readiness,
    events,
    history: options.history ?? new SnapshotHistory(),
    resourcesOf: options.resourcesOf ?? (() => []),
    triersOf: options.triersOf ?? (() => []),
    leadership,
    controllerName: config.controllerName,
    now,
    passwords: new PasswordChecks(),
    version,
    availability,
    unreadable: () => unreadableWarnings(options.unreadable?.() ?? new Map()),
    stores: () => storeWarnings(options.storeTroubles?.() ?? {}),
    reads: options.reads,
    ingresses: options.ingresses ?? noIngresses,
    files: options.files ?? (() => []),
    showsRequests: options.showsRequests ?? true,
    traffic: options.traffic ?? new TrafficStore({ graph }),
    tagOf: tagsOf(graph),
    origin: originOf(store),
    schemaOf: options.schemaOf ?? (async () => undefined),
    managed: () => (store ? managedBy(store) : nothingManaged),
    infrastructure,
    agentTimeoutMs: options.agentTimeoutMs ?? 2000,
    page: { isServed: options.page !== undefined, mayWrite: options.pageMayWrite ?? true },
    ...ofAddons,
  };
}

/** Tags of what the graph alone decides. Another process counts from the same numbers, so that a tag names its own. */
function tagsOf(graph: GraphView): AdminSources['tagOf'] {
  const epoch = randomBytes(6).toString('base64url');
  return (...kinds) => `${epoch}-${graph.revisionOf(...kinds)}`;
}

/** What lets requests in, or throws: with a token where one is asked for, and by a name that is ours. */
function doorsOf({ config: { adminAuth }, access = {} }: AdminOptions, isReadingOnly: IsReadingOnly, logger: Logger) {
  const tokens = tokensOf(adminAuth, access, logger);
  const { identities } = access;
  return (asksToken: boolean) =>
    (openPaths: ReadonlySet<string>): Middleware[] => [
      ...(asksToken ? [bearerAuth({ tokens, openPaths, identities, isReadingOnly })] : []),
      hostGuard({ allowed: adminAuth.allowedHosts, openPaths }),
    ];
}

/** What a request has to pass before its token is looked at. */
const layout1Guards =
  (config: AdminAuthConfig, isReadingOnly: IsReadingOnly, logger: Logger) =>
  (openPaths: ReadonlySet<string>): Middleware[] => {
    const { requestsPerSecond = 200 } = config;
    return [
      auditRejections(logger, isReadingOnly),
      // Ahead of what rejects, so that a page can read why it was rejected.
      ...pagesOf(config),
      ...(requestsPerSecond > 0 ? [rateLimit({ perSecond: requestsPerSecond, openPaths })] : []),
    ];
  };

const pagesOf = ({ allowedOrigins = [] }: AdminAuthConfig): Middleware[] =>
  allowedOrigins.length > 0 ? [cors(allowedOrigins)] : [];
