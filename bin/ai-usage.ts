import type { AiReports } from '../src/admin/index.ts';
import { type AiUsage, askAll } from '../src/ai/index.ts';
import type { Config } from '../src/config/index.ts';
import type { Replicas } from '../src/replicas/index.ts';
import { componentLogger, type Logger } from '../src/telemetry/index.ts';
import { tokenFor } from './replicas.ts';

/** Reports over what this replica and the others know. */
export function aiReports({
  usage,
  replicas,
  config,
  logger,
}: {
  readonly usage: AiUsage;
  readonly replicas: Pick<Replicas, 'list'>;
  readonly config: Pick<Config, 'adminAuth'>;
  readonly logger: Logger;
}): AiReports {
  const options = {
    own: usage.read.bind(usage),
    token: tokenFor(config.adminAuth, componentLogger(logger, 'replicas')),
    peers: () =>
      replicas
        .list()
        .flatMap(({ identity, address, state }) =>
          address === null || state === 'left' ? [] : [{ identity, address, isAway: state !== 'connected' }],
        ),
    caveats: ({ from }: { readonly from: number }) =>
      usage.isVolatile && from < usage.since
        ? [
            `this replica keeps usage in memory and knows nothing from before ${new Date(usage.since).toISOString()}: set state.directory`,
          ]
        : [],
  };
  return { read: options.own, ask: (question) => askAll(question, options) };
}
