import { createTokenSource } from '../../admin/http/index.ts';
import type { AgentAdminAuth } from '../../agent/index.ts';
import type { Config } from '../../config/index.ts';
import { componentLogger, type Logger } from '../../telemetry/index.ts';

/** Who may read an agent's admin API beside its control plane. Throws a ConfigError when the token file cannot be read. */
export function agentAuthOf(
  { bearerToken: token, bearerTokenFile: file, allowedHosts, protect }: Config['dataplane']['adminAuth'],
  logger: Logger,
): AgentAdminAuth {
  const tokens = [createTokenSource({ token, file }, componentLogger(logger, 'admin'))];
  return { tokens, allowedHosts, protectMetrics: protect.includes('metrics') };
}

/** Under `run`, where one configuration is for both: who may use the control plane's API may read its agents' as well. */
export function localAgentAuthOf({ adminAuth, dataplane }: Config, logger: Logger): AgentAdminAuth {
  const own = agentAuthOf(dataplane.adminAuth, logger);
  const log = componentLogger(logger, 'admin');
  const { bearerToken, bearerTokenFile, readOnlyBearerToken, readOnlyBearerTokenFile } = adminAuth;
  const { tokens = [], allowedHosts = [], protectMetrics = false } = own;
  return {
    tokens: [
      ...tokens,
      createTokenSource({ token: bearerToken, file: bearerTokenFile }, log),
      createTokenSource({ token: readOnlyBearerToken, file: readOnlyBearerTokenFile }, log),
    ],
    allowedHosts: [...allowedHosts, ...(adminAuth.allowedHosts ?? [])],
    protectMetrics: protectMetrics || adminAuth.protect.includes('metrics'),
  };
}
