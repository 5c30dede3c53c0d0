import type { AiReports } from '../../addons/ai/admin/index.ts';
import { type AiMetrics, AiUsage, aiMetrics, askAll, SharedBudgets, SpanExporter } from '../../addons/ai/index.ts';
import type { AddressGuard } from '../../outgoing/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import { type Connected, type Core, tokenFor } from '../control-plane/index.ts';
import { aiPeers } from './ai-peers.ts';

export interface AiOptions {
  /** Keeps what AI traffic used; undefined: it is forgotten with the process. */
  readonly file: string | undefined;
  readonly guard: AddressGuard;
}

/** What AI traffic used: kept, reported over all replicas, held against budgets that all of them share, and exported as spans. */
export interface Ai {
  readonly usage: AiUsage;
  readonly reports: AiReports;
  start(): void;
  stop(): Promise<void>;
}

export function buildAi({ core, replicas }: Connected, { file, guard }: AiOptions): Ai {
  const { graph, metrics, tokens, logger } = core;
  const log = componentLogger(logger, 'ai');
  const token = tokenFor(tokens);
  const peers = () => aiPeers(replicas.list());
  const budgets = new SharedBudgets({ peers, token, isNeeded: () => graph.count('TokenPolicy') > 0 });
  const counts = aiMetrics(metrics.set);
  const spans = buildSpanExporter(core, { guard, metrics: counts });
  const usage = new AiUsage({
    file,
    graph,
    onAsked: counts.asked,
    onAttempt: (attempt, service) => spans?.add(attempt, service),
    onDamaged: (aside, error) =>
      log.error(
        { file, aside, err: error },
        'the store of AI usage is damaged: it was put aside, and counting begins again from zero',
      ),
    onUnpruned: (error) =>
      log.warn({ file, err: error }, 'AI usage that is too old cannot be removed; it is tried again'),
    remoteUsage: (...of) => budgets.used(...of),
  });
  return {
    usage,
    reports: buildReports(usage, { peers, token }),
    start: () => budgets.start(),
    async stop() {
      budgets.stop();
      usage.close();
      await spans?.stop();
    },
  };
}

function buildReports(usage: AiUsage, others: Pick<Parameters<typeof askAll>[1], 'peers' | 'token'>): AiReports {
  const read: AiReports['read'] = (question) => usage.read(question);
  const caveats: Parameters<typeof askAll>[1]['caveats'] = ({ from }) =>
    usage.isVolatile && from < usage.since
      ? [
          `this replica keeps usage in memory and knows nothing from before ${new Date(usage.since).toISOString()}: set state.directory`,
        ]
      : [];
  return { read, ask: (question) => askAll(question, { ...others, own: read, caveats }) };
}

/** Undefined where the configuration names no receiver of spans. */
function buildSpanExporter(
  { config, version, leadership, logger }: Core,
  { guard, metrics }: { readonly guard: AddressGuard; readonly metrics: AiMetrics },
): SpanExporter | undefined {
  const { otlpUrl } = config.aiSpans;
  if (otlpUrl === undefined) return undefined;
  return new SpanExporter({
    guard,
    version,
    instance: leadership().identity,
    config: { ...config.aiSpans, otlpUrl },
    logger: componentLogger(logger, 'ai-spans'),
    metrics,
  });
}
