import * as z from 'zod';
import type { Addon, AddonHost, AdminSources } from '../../../admin/index.ts';
import { bind, type Endpoint, get, invalidQuery, oneOf, resource, shows, whole } from '../../../admin/index.ts';
import { keyOf, objectKey } from '../../../gateway-api/index.ts';
import {
  type AiData,
  type AiQuestion,
  aiUsagePath,
  cost,
  groupings,
  type Merged,
  overview,
  parseRange,
  parseStep,
  type ServiceInfo,
  serviceReport,
  type TraceFilter,
  tokenUsage,
  traces,
} from '../index.ts';
import { poolReport } from './pool-report.ts';
import * as schemas from './schemas.ts';

/** What reports on AI traffic are made from. */
export interface AiReports {
  /** What this replica knows. */
  read(question: AiQuestion): Promise<AiData>;
  /** What all replicas know. */
  ask(question: AiQuestion): Promise<Merged>;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const maxTraces = 2000;
const maxPoints = 5000;

/** What reports are made from. */
export interface AiSources extends AdminSources {
  readonly reports: AiReports;
}

const tag = 'AI gateway';
const window = 'How far back: such as 5m, 24h or 7d; 1h by default';
const view = '`flat`: the list alone';
const errors = ['query_invalid'] as const;

const timeOf = ({ now }: AiSources): number => now().getTime();

const overviewReport = get({
  path: '/v1/ai/overview',
  tag,
  summary: 'How requests to models are doing',
  answer: schemas.aiOverview,
  query: { window },
  errors,
  async handle({ query }, sources: AiSources) {
    const question = questionOf(query, timeOf(sources), { window: hourMs });
    return overview(question, await sources.reports.ask(question), servicesOf(sources));
  },
});

const services = resource({
  path: '/v1/ai/services',
  tag,
  summary: 'AIServices with their prices and how they did in the last five minutes',
  record: schemas.aiService,
  list: {
    entries: (sources: AiSources) => servicesOf(sources),
    filters: {
      namespace: (value) => (entry) => entry.object.metadata.namespace === value,
      name: (value) => (entry) => entry.object.metadata.name === value,
    },
    sorts: {
      namespace: ({ object }) => keyOf(object),
      name: ({ object }) => object.metadata.name,
    },
  },
  async present(sources) {
    const now = timeOf(sources);
    const merged = await sources.reports.ask({ from: now - 5 * minuteMs, to: now + 1, stepMs: minuteMs, traces: 0 });
    return (info) => serviceReport(info, merged, circumstancesOf(info, sources), now);
  },
});

const tokenReport = get({
  path: '/v1/ai/token-usage',
  tag,
  summary: 'Tokens by time',
  answer: schemas.aiTokenUsage,
  query: {
    window,
    step: 'How long each part is, in whole minutes',
    groupBy: 'model, service, route, provider or key',
    view,
  },
  errors,
  async handle({ query }, sources: AiSources) {
    const question = questionOf(query, timeOf(sources), { window: hourMs });
    const groupBy = oneOf('groupBy', query.get('groupBy') ?? 'model', groupings);
    const report = tokenUsage(question, await sources.reports.ask(question), groupBy, providerOf(sources));
    return isFlat(query) ? report.series : report;
  },
});

const traceReport = get({
  path: '/v1/ai/traces',
  tag,
  summary: 'Requests to models, the newest first; no prompt and no answer is kept',
  answer: schemas.aiTraces,
  query: {
    limit: 'How many at most, up to 2000; 100 by default',
    cursor: '`next` of the answer before',
    model: 'Only requests for this model',
    status: '`ok` or `error`',
    minMs: 'Only requests that took so long',
    view,
  },
  errors,
  async handle({ query }, sources: AiSources) {
    const filter = traceFilterOf(query);
    const to = timeOf(sources) + 1;
    const question = { from: 0, to, stepMs: dayMs, traces: maxTraces };
    const merged = await sources.reports.ask({ ...question, from: to - 1 - dayMs });
    const report = traces(question, merged, filter, providerOf(sources));
    return isFlat(query) ? report.items : report;
  },
});

const costReport = get({
  path: '/v1/ai/cost',
  tag,
  summary: 'What was paid, and what is left of budgets',
  answer: schemas.aiCost,
  query: { range: '24h, 7d or 30d' },
  errors,
  async handle({ query }, sources: AiSources) {
    const range = oneOf('range', query.get('range') ?? '24h', ['24h', '7d', '30d']);
    const at = timeOf(sources);
    const from = at - (parseRange(range) ?? dayMs);
    const question = { from, to: at + 1, stepMs: range === '24h' ? hourMs : dayMs, traces: 0 };
    const month = await sources.reports.ask({ ...question, from: startOfMonth(at), stepMs: hourMs });
    return cost(question, await sources.reports.ask(question), {
      month: month.data.usage,
      services: new Map(servicesOf(sources).map(({ object }) => [keyOf(object), object])),
      policies: sources.graph.list('TokenPolicy'),
      now: at,
    });
  },
});

const ownUsage = get({
  path: aiUsagePath,
  tag,
  summary: 'What this replica alone knows; replicas ask each other',
  answer: z.unknown(),
  query: {
    from: 'Milliseconds since 1970',
    to: 'The same',
    stepMs: 'How long each part is',
    traces: 'How many traces',
  },
  errors,
  isTagged: false,
  handle({ query }, sources: AiSources) {
    const number = (name: string, otherwise: number, max: number) =>
      whole(name, query.get(name) ?? String(otherwise), 0, max);
    const to = number('to', timeOf(sources) + 1, 9_999_999_999_999);
    return sources.reports.read({
      from: number('from', Math.max(0, to - hourMs), to),
      to,
      stepMs: Math.max(minuteMs, number('stepMs', minuteMs, dayMs)),
      traces: number('traces', 0, maxTraces),
    });
  },
});

/** `/v1/ai/…`: reports on AI traffic, of all replicas, and what replicas ask each other. */
export const aiEndpoints: readonly Endpoint<AiSources>[] = [
  overviewReport,
  ...services.endpoints,
  tokenReport,
  traceReport,
  costReport,
  ownUsage,
];

const servicesOf = ({ graph }: AiSources): ServiceInfo[] =>
  [...graph.list('AIService')]
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map((object) => ({ object, status: graph.statusOf('AIService', keyOf(object)) }));

const providerOf =
  ({ graph }: AiSources) =>
  (service: string): string =>
    graph.find('AIService', service)?.spec.provider ?? 'unknown';

function traceFilterOf(query: ReadonlyMap<string, string>): TraceFilter {
  const limit = whole('limit', query.get('limit') ?? '100', 1, maxTraces);
  const status = query.get('status');
  return {
    limit,
    cursor: query.get('cursor'),
    model: query.get('model'),
    status: status === undefined ? undefined : oneOf('status', status, ['ok', 'error']),
    minMs: whole('minMs', query.get('minMs') ?? '0', 0, dayMs),
  };
}

const startOfMonth = (at: number): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
};

const isFlat = (query: ReadonlyMap<string, string>): boolean =>
  oneOf('view', query.get('view') ?? 'full', ['full', 'flat']) === 'flat';

/** `window` back from now, in parts of `step`. */
function questionOf(
  query: ReadonlyMap<string, string>,
  now: number,
  defaults: { readonly window: number },
): AiQuestion {
  const window = durationOf('window', query, parseRange, 32 * dayMs) ?? defaults.window;
  const step =
    durationOf('step', query, parseStep, dayMs) ??
    (window <= 6 * hourMs ? minuteMs : window <= 2 * dayMs ? hourMs : dayMs);
  if (window / step > maxPoints)
    throw invalidQuery('step', `that would be more than ${maxPoints} points: ask for a longer one`);
  return { from: now - window, to: now + 1, stepMs: step, traces: 0 };
}

function durationOf(
  name: string,
  query: ReadonlyMap<string, string>,
  parse: (text: string) => number | undefined,
  max: number,
): number | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const ms = parse(text);
  if (ms === undefined || ms > max)
    throw invalidQuery(
      name,
      `expected such as 5m, 24h or 7d, in whole minutes for step, and no longer than ${max / dayMs}d`,
    );
  return ms;
}

/** What of a service is not in its own object: never a credential, only whether there is one. */
function circumstancesOf({ object }: ServiceInfo, { graph, nodes }: AdminSources) {
  const { auth } = object.spec;
  const secret = auth && graph.find('Secret', objectKey(object.metadata.namespace, auth.secretRef.name));
  const backend = [...(graph.snapshot()?.backends.values() ?? [])].find(
    ({ ai }) => ai?.kind === 'service' && ai.key === keyOf(object),
  );
  const gateways = new Set(
    [...(graph.snapshot()?.gateways.values() ?? [])].flatMap(({ key, backends }) =>
      backend && backends.has(backend.key) ? [key] : [],
    ),
  );
  const own = nodes.list().filter(({ cluster, connected }) => connected && gateways.has(cluster));
  const id = graph.snapshot()?.id;
  const routes = [...graph.list('HTTPRoute')].filter(({ metadata, spec }) =>
    spec?.rules?.some((rule) =>
      rule.backendRefs?.some(
        ({ kind, name, namespace = metadata.namespace }) =>
          kind === 'AIService' && objectKey(namespace, name) === keyOf(object),
      ),
    ),
  );
  return {
    credential: auth
      ? {
          secret: auth.secretRef.name,
          present: Boolean(secret?.data?.[auth.secretRef.key ?? 'apiKey']),
          resourceVersion: secret?.metadata.resourceVersion ?? null,
        }
      : null,
    pool: poolReport(object, backend, graph),
    routes: routes.map(keyOf).sort(),
    nodes: { programmed: own.filter(({ lastAckVersion }) => lastAckVersion === id).length, total: own.length },
  };
}

/** Reports on AI traffic; `/v1/dashboard/capabilities` shows them while AIServices can be read. */
export function aiAddon({ sources }: AddonHost, reports: AiReports): Addon {
  return {
    endpoints: bind(aiEndpoints, { ...sources, reports }),
    async capabilities() {
      const ai = shows('AIService', sources);
      const aiTokenPolicies = ai && shows('TokenPolicy', sources);
      return { aiOverview: ai, aiServices: ai, aiTokenPolicies, aiCost: ai, aiTraces: ai, aiUsage: ai };
    },
  };
}
