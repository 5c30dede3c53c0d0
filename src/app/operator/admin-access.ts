import { type AdminAccess, ClusterIdentities, TokenSecret } from '../../admin/index.ts';
import type { Config } from '../../config/index.ts';
import type { KubeClient } from '../../kube/index.ts';
import { componentLogger, type Logger } from '../../telemetry/index.ts';

export interface OpenAdminAccessOptions {
  readonly config: Pick<Config, 'adminAuth'>;
  readonly client: KubeClient;
  /** Where the Secret with the tokens is. */
  readonly namespace: string;
  readonly logger: Logger;
}

/** What lets people into the admin API of a cluster, as the configuration says; rejects with an error that an operator can fix. */
export async function openAdminAccess(
  options: OpenAdminAccessOptions,
): Promise<AdminAccess & { readonly stop: () => void }> {
  const { client } = options;
  const { tokenSecret, kubernetes } = options.config.adminAuth;
  const tokens = tokenSecret === undefined ? undefined : await openTokens(options, tokenSecret);
  const stop = tokens?.start() ?? (() => {});
  const identities = kubernetes?.enabled
    ? new ClusterIdentities({ client, audiences: kubernetes.audiences })
    : undefined;
  return { tokens, identities, stop };
}

function openTokens({ client, namespace, logger }: OpenAdminAccessOptions, name: string): Promise<TokenSecret> {
  const log = componentLogger(logger, 'admin');
  const secret = `${namespace}/${name}`;
  return TokenSecret.open({
    client,
    namespace,
    name,
    onFailure: ({ message }) =>
      log.warn({ secret }, `admin tokens cannot be read; the last ones stay valid: ${message}`),
    onChange: () => log.info({ secret }, 'admin tokens changed'),
  });
}
