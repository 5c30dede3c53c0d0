import type { AiReports } from '../../addons/ai/admin/index.ts';
import { AiUsage, aiMetrics, aiSpan, askAll, mergeData, nothingKept } from '../../addons/ai/index.ts';
import type { AddressGuard } from '../../outgoing/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import { type Connected, tokenFor } from '../control-plane/index.ts';
import { aiPeers } from './ai-peers.ts';
import { type AiStore, buildAiStore } from './ai-store.ts';
import { buildBudgets } from './budgets.ts';
import { buildSpanExporter } from './span-exporter.ts';

export interface AiOptions {
  /** Keeps what AI traffic used; undefined: it is forgotten with the process. */
  readonly file: string | undefined;
  readonly guard: AddressGuard;
}

/** What AI traffic used: kept, reported over all replicas, held against budgets that all of them share, and exported as spans. */
export interface Ai {
  readonly usage: AiUsage;
  readonly reports: AiReports;
  /** Why the database does not answer; undefined: it does, or there is none. */
  readonly storeTrouble: () => string | undefined;
  start(): void;
  stop(): Promise<void>;
}

export function buildAi({ core, replicas }: Connected, { file, guard }: AiOptions): Ai {
  const { graph, metrics, tokens, logger } = core;
  const log = componentLogger(logger, 'ai');
  const token = tokenFor(tokens);
  const peers = () => aiPeers(replicas.list());
  const counts = aiMetrics(metrics.set);
  const spans = buildSpanExporter(core, {
    section: 'aiSpans',
    component: 'ai-spans',
    scope: 'gatewright.ai',
    guard,
    onResult: counts.spans,
  });
  const kept = buildAiStore(core, file);
  const { store, database } = kept;
  if (database) counts.readStore(() => database.isConnected);
  const budgets = buildBudgets({ core, replicas }, { store, peers, token });
  const usage = new AiUsage({
    store,
    graph,
    keeper: budgets.keeper,
    onAsked: counts.asked,
    onAttempt(attempt, service) {
      const span = spans && aiSpan(attempt, service, core.config.aiSpans.samplingPercent);
      if (span) spans.add(span);
    },
    onUnpruned: (error) => log.warn({ err: error }, 'AI usage that is too old cannot be removed; it is tried again'),
  });
  return {
    usage,
    reports: reportsOf(usage, kept, { peers, token }),
    storeTrouble: () => database?.trouble,
    start() {
      if (database) void database.start();
    },
    async stop() {
      budgets.keeper.stop();
      await usage.close();
      await spans?.stop();
    },
  };
}

type Others = Pick<Parameters<typeof askAll>[1], 'peers' | 'token'>;

/** Replicas get from each other what requests hold, too. */
function reportsOf(usage: AiUsage, kept: AiStore, others: Others): AiReports {
  const { read, ask } = kept.store.isShared ? sharedReports(usage) : buildReports(usage, kept, others);
  return { ask, read: async (question) => ({ ...(await read(question)), holds: usage.holds() }) };
}

function buildReports(usage: AiUsage, { store }: AiStore, others: Others): AiReports {
  const read: AiReports['read'] = (question) => usage.read(question);
  const caveats: Parameters<typeof askAll>[1]['caveats'] = ({ from }) =>
    store.isVolatile && from < usage.since
      ? [
          `this replica keeps usage in memory and knows nothing from before ${new Date(usage.since).toISOString()}: set state.directory`,
        ]
      : [];
  return { read, ask: (question) => askAll(question, { ...others, own: read, caveats }) };
}

/** All replicas keep usage in one place. A replica that has a file of its own, as in the middle of an upgrade, gets nothing from it twice. */
function sharedReports(usage: AiUsage): AiReports {
  return {
    read: async () => nothingKept,
    async ask(question) {
      try {
        return { data: mergeData([await usage.read(question)], question.traces), complete: true, warnings: [] };
      } catch (error) {
        const warnings = [`the database does not answer: ${(error as Error).message}`];
        return { data: nothingKept, complete: false, warnings };
      }
    },
  };
}
