import {
  type AiMetrics,
  type AiQuestion,
  type AiUsage,
  askAll,
  SharedBudgets,
  SpanExporter,
  type SpanExporterOptions,
} from '../../addons/ai/index.ts';
import type { AiReports, Tokens } from '../../admin/index.ts';
import type { Replicas } from '../../cluster/replicas/index.ts';
import type { Config } from '../../config/index.ts';
import type { GraphView } from '../../graph/index.ts';
import { componentLogger, type Logger } from '../../telemetry/index.ts';
import { tokenFor } from './replicas.ts';

export interface AiPartsOptions {
  readonly usage: AiUsage;
  readonly graph: Pick<GraphView, 'count'>;
  readonly replicas: Pick<Replicas, 'list'>;
  /** What the other replicas ask for, too. */
  readonly tokens: Tokens;
}

/** Reports over what this replica and the others know, and budgets that all of them keep together. */
export function aiParts({ usage, graph, replicas, tokens }: AiPartsOptions): {
  readonly reports: AiReports;
  readonly sharedBudgets: SharedBudgets;
} {
  const token = tokenFor(tokens);
  const peers = () => {
    const all = replicas.list();
    const present = new Set(
      all.flatMap(({ identity, state }) => (['self', 'connected'].includes(state) ? hostOf(identity) : [])),
    );
    return all.flatMap(({ identity, address, state }) =>
      // Whoever left and is back has what it kept.
      address === null || (state === 'left' && present.has(hostOf(identity)))
        ? []
        : [{ identity, address, isAway: state !== 'connected' }],
    );
  };
  const caveats = ({ from }: AiQuestion) =>
    usage.isVolatile && from < usage.since
      ? [
          `this replica keeps usage in memory and knows nothing from before ${new Date(usage.since).toISOString()}: set state.directory`,
        ]
      : [];
  const read = (question: AiQuestion) => usage.read(question);
  return {
    reports: { read, ask: (question) => askAll(question, { own: read, token, peers, caveats }) },
    sharedBudgets: new SharedBudgets({ peers, token, isNeeded: () => graph.count('TokenPolicy') > 0 }),
  };
}

/** The part of a replica's identity that a restart leaves: what is behind it is chance. */
const hostOf = (identity: string): string => identity.replace(/_[^_]*$/, '');

/** What exports spans; undefined where nobody is to have them. */
export function spanExporter({
  config,
  logger,
  metrics,
  ...rest
}: Pick<SpanExporterOptions, 'guard' | 'version' | 'instance'> & {
  readonly config: Pick<Config, 'aiSpans'>;
  readonly logger: Logger;
  readonly metrics: AiMetrics;
}): SpanExporter | undefined {
  const { otlpUrl } = config.aiSpans;
  if (otlpUrl === undefined) return undefined;
  return new SpanExporter({
    ...rest,
    config: { ...config.aiSpans, otlpUrl },
    logger: componentLogger(logger, 'ai-spans'),
    metrics,
  });
}
