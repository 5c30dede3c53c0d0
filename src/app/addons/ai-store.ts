import { FileStore, PostgresStore, type UsageStore } from '../../addons/ai/index.ts';
import type { Config } from '../../config/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import { type Core, databaseSecrets } from '../control-plane/index.ts';

type PostgresConfig = NonNullable<Config['aiUsage']['postgres']>;

/** Where usage of AI services is kept, and whether that answers. */
export interface AiStore {
  readonly store: UsageStore;
  /** Undefined: it is a file of this replica, or its memory. */
  readonly database: PostgresStore | undefined;
}

/** `file`: where it is kept without a database; undefined: in memory. */
export function buildAiStore(core: Core, file: string | undefined): AiStore {
  const { postgres } = core.config.aiUsage;
  if (postgres === undefined) return { store: buildFile(core, file), database: undefined };
  const database = buildDatabase(core, postgres);
  return { store: database, database };
}

function buildFile({ logger }: Core, file: string | undefined): FileStore {
  const log = componentLogger(logger, 'ai');
  return new FileStore(file, (aside, error) =>
    log.error(
      { file, aside, err: error },
      'the store of AI usage is damaged: it was put aside, and counting begins again from zero',
    ),
  );
}

function buildDatabase({ graph, logger }: Core, postgres: PostgresConfig): PostgresStore {
  const { url, username, tls, serverName, insecureSkipVerify, schema } = postgres;
  const log = componentLogger(logger, 'ai-usage');
  return new PostgresStore({
    server: {
      url: new URL(url),
      username,
      tls,
      serverName,
      insecureSkipVerify,
      secrets: () => databaseSecrets(postgres),
    },
    schema,
    hasBudgets: () => graph.count('TokenPolicy') > 0,
    onLost: (why) =>
      log.error(
        { why },
        'usage of AI services waits in the agents, and budgets count what is known: no answer from PostgreSQL',
      ),
    onConnected: () => log.info('PostgreSQL answers; usage of AI services is kept there again'),
  });
}
