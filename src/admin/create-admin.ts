import type Koa from 'koa';
import type { Middleware } from 'koa';
import type { AskAdmin, Chatbot } from '../addons/chatbot/index.ts';
import type { MetricsBackend } from '../addons/metrics-backend/index.ts';
import type { AdminAuthConfig } from '../config/index.ts';
import type { GraphView } from '../graph/index.ts';
import { ManifestReader } from '../sources/index.ts';
import { componentLogger, type Logger, type MetricsText } from '../telemetry/index.ts';
import type { NodeRef, NodesView } from '../xds/index.ts';
import { askInProcess } from './ask-in-process.ts';
import { type AdminAccess, tokensOf } from './auth/admin-access.ts';
import { writeAuthorizer } from './auth/authorize-write.ts';
import { bearerAuth, isReadingOnly } from './auth/bearer-auth.ts';
import { diffHandler } from './diff/index.ts';
import { EventLog } from './events/index.ts';
import { type adminMetrics, cors, hostGuard, rateLimit } from './http/index.ts';
import type { InfrastructureView } from './infrastructure/infrastructure-record.ts';
import { absentEndpoints, optionalPaths } from './layout1/absent.ts';
import { type AiReports, mountAi } from './layout1/ai.ts';
import { createLayout1 } from './layout1/app.ts';
import { mountChatbot } from './layout1/chatbot.ts';
import { mountMcp } from './layout1/mcp.ts';
import { mountMetrics } from './layout1/metrics.ts';
import { createLayout2 } from './layout2/app.ts';
import {
  auditRefusals,
  browserGuard,
  managedKinds,
  mountResources,
  type ResourceStore,
} from './managed-resources/index.ts';
import { createMetricsApp } from './metrics-app.ts';
import { mountRefusals } from './nodes/refusals.ts';
import type { ReplicaFeed } from './replicas/index.ts';
import type { AdminSources, Availability, Leadership, ManagedResources, Readiness, ReplicasView } from './sources.ts';
import { unreadableWarnings } from './summary/warnings.ts';
import { mountValidate } from './validate/index.ts';

export interface AdminOptions {
  readonly graph: GraphView;
  /** Of all replicas. */
  readonly nodes: NodesView;
  /** The control planes that act as one, and what the others follow of this one; by default it is alone. */
  readonly replicas?: ReplicasView & { readonly feed: ReplicaFeed };
  /** What the proxies of a Gateway are sent; nothing by default. */
  readonly resourcesOf?: AdminSources['resourcesOf'];
  readonly metrics: MetricsText & { readonly admin: ReturnType<typeof adminMetrics> };
  readonly config: { readonly adminAuth: AdminAuthConfig; readonly controllerName: string };
  /** What only a cluster has; needed where the configuration asks for it. */
  readonly access?: AdminAccess | undefined;
  readonly readiness: () => Readiness;
  readonly leadership: () => Leadership;
  /** Of this program. */
  readonly version: string;
  readonly logger: Logger;
  readonly now?: () => Date;
  /** Where events are told; without it nothing happens that readers could follow. */
  readonly events?: EventLog;
  /** Whether a kind can be read; every kind by default. */
  readonly availability?: (kind: string) => Availability;
  /** Namespaces that should be read and cannot, with why. */
  readonly unreadable?: () => ReadonlyMap<string, string>;
  /** Nothing runs by default. */
  readonly infrastructure?: InfrastructureView;
  /** How long the agent of a data plane may take to answer; 2000 by default, as the contract has it. */
  readonly agentTimeoutMs?: number;
  /** Where managed resources are kept; without it there are none. */
  readonly resources?: ResourceStore | undefined;
  /** What reads bodies that are long; one of its own by default. */
  readonly reader?: ManifestReader | undefined;
  /** Where PromQL is answered; without it those paths answer 501. */
  readonly metricsBackend?: MetricsBackend | undefined;
  /** Sends a data plane once more what it refused; without it that cannot be asked for. */
  readonly offerAgain?: ((node: NodeRef) => void) | undefined;
  /** What AI traffic used; without it those paths answer 501. */
  readonly ai?: AiReports | undefined;
  /** Makes the chatbot, which asks this very API; without it those paths answer 501. */
  readonly createChatbot?: ((ask: AskAdmin) => Chatbot) | undefined;
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
const nothingRuns: InfrastructureView = { parts: async () => ({ parts: [], warnings: [] }) };

/**
 * The admin API over read-only views; it keeps nothing between requests, and changes nothing but managed resources, which
 * come back through the source as any other change does. Throws a ConfigError when the token file cannot be read.
 */
export function createAdmin(options: AdminOptions): Admin {
  const { graph, nodes, metrics, config, readiness, leadership, version, now = () => new Date() } = options;
  const { controllerName, adminAuth } = config;
  const logger = componentLogger(options.logger, 'admin');
  const { availability = () => allAvailable, infrastructure = nothingRuns, resources: store } = options;
  const { events = new EventLog(), agentTimeoutMs = 2000, metricsBackend } = options;
  let chatbot: Chatbot | undefined;
  const replicas = options.replicas ?? alone({ graph, nodes, leadership });
  const sources: AdminSources = {
    graph,
    nodes,
    replicas,
    resourcesOf: options.resourcesOf ?? (() => []),
    leadership,
    controllerName,
    now,
    version,
    availability,
    unreadable: () => unreadableWarnings(options.unreadable?.() ?? new Map()),
    managed: () => (store ? managedBy(store) : nothingManaged),
    services: async () => ({
      chatbot: (await chatbot?.isUsable().catch(() => false)) ?? false,
      metrics: (await metricsBackend?.isConfigured().catch(() => false)) ?? false,
      settings: metricsBackend !== undefined || chatbot !== undefined,
    }),
    infrastructure,
    reportsAi: options.ai !== undefined,
    agentTimeoutMs,
  };
  const observe = { logger, onRequest: metrics.admin.request };
  const { access = {} } = options;
  const tokens = tokensOf(adminAuth, access, logger);
  const authenticate = (openPaths: ReadonlySet<string>) => bearerAuth(tokens, openPaths, access.identities);
  const doors = (asksToken: boolean) => (openPaths: ReadonlySet<string>) => [
    ...(asksToken ? [authenticate(openPaths)] : []),
    hostGuard({ allowed: adminAuth.allowedHosts, openPaths }),
  ];
  return {
    layout1: createLayout1({
      sources,
      events,
      feed: replicas.feed,
      reader: options.reader ?? new ManifestReader(),
      readiness,
      doors: doors(true),
      observe,
      guards: layout1Guards(adminAuth, logger),
      mount(router, tag) {
        const guard = browserGuard(adminAuth.allowedOrigins);
        const absent = (paths: Parameters<typeof absentEndpoints>[0]): void => {
          for (const { method = 'get', path, handle } of absentEndpoints(paths)) router[method](path, handle);
        };
        if (store) {
          mountResources(router, tag, { store, graph, logger, guard, authorize: writeAuthorizer(access.identities) });
          mountValidate(router, { sources, store });
          router.post('/v1/diff', diffHandler({ sources, store }));
        }
        if (options.offerAgain) mountRefusals(router, { sources, offerAgain: options.offerAgain, logger, guard });
        if (options.ai) mountAi(router, tag, { sources, reports: options.ai });
        else absent(optionalPaths.ai);
        if (metricsBackend) mountMetrics(router, tag, { backend: metricsBackend, logger, guard });
        else absent(optionalPaths.metricsBackend);
        const ask = askInProcess(router);
        chatbot = options.createChatbot?.(ask);
        if (!chatbot) return absent(optionalPaths.chatbot);
        mountChatbot(router, tag, { chatbot, logger, guard });
        mountMcp(router, { ask, version, logger, guard });
      },
    }),
    layout2: createLayout2({
      sources,
      metrics,
      readiness,
      observe,
      doors: doors(!adminAuth.unprotect?.includes('layout2')),
      guards: pagesOf(adminAuth),
    }),
    metrics: createMetricsApp(metrics, observe, doors(adminAuth.protect.includes('metrics'))(new Set())),
    endStreams: () => events.close(),
  };
}

/** There is but this control plane, and nobody follows it. */
const alone = ({ graph, nodes, leadership }: Pick<AdminOptions, 'graph' | 'nodes' | 'leadership'>) => ({
  list: () => [
    {
      identity: leadership().identity,
      address: null,
      state: 'self' as const,
      snapshotVersion: graph.snapshot()?.id ?? null,
      nodeCount: nodes.list().length,
      lastHeardAt: null,
    },
  ],
  warnings: () => [],
  ask: () => Promise.reject(new Error('there is no other control plane')),
  feed: { open: () => undefined },
});

/** What a request has to pass before anybody looks at its token. */
const layout1Guards =
  (config: AdminAuthConfig, logger: Logger) =>
  (openPaths: ReadonlySet<string>): Middleware[] => {
    const { requestsPerSecond = 200 } = config;
    return [
      auditRefusals(logger, isReadingOnly),
      // Ahead of what refuses, so that a page can read why it was refused.
      ...pagesOf(config),
      ...(requestsPerSecond > 0 ? [rateLimit({ perSecond: requestsPerSecond, openPaths })] : []),
    ];
  };

const pagesOf = ({ allowedOrigins = [] }: AdminAuthConfig): Middleware[] =>
  allowedOrigins.length > 0 ? [cors(allowedOrigins)] : [];
