import type { Router, RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
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
  tokenUsage,
  traces,
} from '../../addons/ai/index.ts';
import { keyOf, objectKey } from '../../gateway-api/index.ts';
import { invalidQuery, type ListSpec, listPage, oneOf, readQuery, whole } from '../http/index.ts';
import type { AdminSources } from '../sources.ts';

/** What reports on AI traffic are made from. */
export interface AiReports {
  /** What this replica knows. */
  read(question: AiQuestion): AiData;
  /** What all replicas know. */
  ask(question: AiQuestion): Promise<Merged>;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const maxTraces = 2000;
const maxPoints = 5000;

/** Adds `/v1/ai/…` to the router of Layout 1, and what replicas ask each other. `tag` goes around reads. */
export function mountAi(
  router: Router,
  tag: Middleware,
  { sources, reports }: { readonly sources: AdminSources; readonly reports: AiReports },
): void {
  const now = () => sources.now().getTime();
  const providerOf = (service: string) => sources.graph.find('AIService', service)?.spec.provider ?? 'unknown';
  const { graph } = sources;
  const services = (): ServiceInfo[] =>
    [...graph.list('AIService')]
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      .map((object) => ({ object, status: graph.statusOf('AIService', keyOf(object)) }));

  router.get('/v1/ai/overview', tag, async (ctx) => {
    const question = questionOf(readQuery(ctx, ['window']), now(), { window: hourMs });
    ctx.body = overview(question, await reports.ask(question), services());
  });
  router.get('/v1/ai/services', tag, async (ctx) => {
    const page = listPage(ctx, services(), aiServiceList);
    const question = { from: now() - 5 * minuteMs, to: now() + 1, stepMs: minuteMs, traces: 0 };
    const merged = await reports.ask(question);
    ctx.body = page.map((info) => serviceReport(info, merged, circumstancesOf(info, sources), now()));
  });
  router.get('/v1/ai/token-usage', tag, async (ctx) => {
    const query = readQuery(ctx, ['window', 'step', 'groupBy', 'view']);
    const question = questionOf(query, now(), { window: hourMs });
    const groupBy = oneOf('groupBy', query.get('groupBy') ?? 'model', groupings);
    const report = tokenUsage(question, await reports.ask(question), groupBy, providerOf);
    ctx.body = isFlat(query) ? report.series : report;
  });
  router.get('/v1/ai/traces', tag, async (ctx) => {
    const query = readQuery(ctx, ['limit', 'cursor', 'model', 'status', 'minMs', 'view']);
    const limit = whole('limit', query.get('limit') ?? '100', 1, maxTraces);
    const status = query.get('status');
    const question = { from: 0, to: now() + 1, stepMs: dayMs, traces: maxTraces };
    const filter = {
      limit,
      cursor: query.get('cursor'),
      model: query.get('model'),
      status: status === undefined ? undefined : oneOf('status', status, ['ok', 'error']),
      minMs: whole('minMs', query.get('minMs') ?? '0', 0, dayMs),
    };
    const report = traces(question, await reports.ask({ ...question, from: now() - dayMs }), filter, providerOf);
    ctx.body = isFlat(query) ? report.items : report;
  });
  router.get('/v1/ai/cost', tag, async (ctx) => {
    const query = readQuery(ctx, ['range']);
    const range = oneOf('range', query.get('range') ?? '24h', ['24h', '7d', '30d']);
    const at = now();
    const question = {
      from: at - (parseRange(range) ?? dayMs),
      to: at + 1,
      stepMs: range === '24h' ? hourMs : dayMs,
      traces: 0,
    };
    const month = await reports.ask({ ...question, from: startOfMonth(at), stepMs: hourMs });
    ctx.body = cost(question, await reports.ask(question), {
      month: month.data.usage,
      services: new Map(services().map(({ object }) => [keyOf(object), object])),
      policies: graph.list('TokenPolicy'),
      now: at,
    });
  });
  router.get(aiUsagePath, (ctx: RouterContext) => {
    const query = readQuery(ctx, ['from', 'to', 'stepMs', 'traces']);
    const number = (name: string, otherwise: number, max: number) =>
      whole(name, query.get(name) ?? String(otherwise), 0, max);
    const to = number('to', now() + 1, 9_999_999_999_999);
    ctx.body = reports.read({
      from: number('from', Math.max(0, to - hourMs), to),
      to,
      stepMs: Math.max(minuteMs, number('stepMs', minuteMs, dayMs)),
      traces: number('traces', 0, maxTraces),
    });
  });
}

/** How the list of services is narrowed and ordered. */
export const aiServiceList: ListSpec<ServiceInfo> = {
  filters: {
    namespace:
      (value) =>
      ({ object }) =>
        object.metadata.namespace === value,
    name:
      (value) =>
      ({ object }) =>
        object.metadata.name === value,
  },
  sorts: {
    namespace: ({ object }) => keyOf(object),
    name: ({ object }) => object.metadata.name,
  },
};

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
    routes: routes.map(keyOf).sort(),
    nodes: { programmed: own.filter(({ lastAckVersion }) => lastAckVersion === id).length, total: own.length },
  };
}
