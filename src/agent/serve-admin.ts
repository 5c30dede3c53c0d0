import { type HttpListener, listen } from '../admin/http/index.ts';
import { componentLogger } from '../telemetry/index.ts';
import { createAgentAdmin } from './admin/app.ts';
import { agentMetrics } from './admin/metrics.ts';
import type { AgentCore } from './agent-core.ts';
import type { Watchdog } from './envoy/watchdog.ts';
import type { Envoys } from './envoys.ts';
import type { DataPlaneAgentOptions } from './options.ts';
import type { PasswordServer } from './passwords/index.ts';
import type { AgentState } from './state.ts';

export interface AdminDeps {
  readonly core: AgentCore;
  readonly envoys: Envoys;
  readonly watchdog: Watchdog;
  readonly passwords: PasswordServer;
  /** Not called before the start is complete. */
  readonly observe: () => Promise<AgentState>;
}

/** Opens the agent's admin API. Rejects with ConfigError when the port cannot be opened. */
export function serveAdmin(options: DataPlaneAgentOptions, deps: AdminDeps): Promise<HttpListener> {
  const { nodeId, cluster, version, xdsAddress, adminListen, adminAuth = {}, logger } = options;
  const { core, envoys, watchdog, passwords, observe } = deps;
  const { relay, upstream, names, cache, clock, reportToken, limits } = core;
  const { admin } = envoys;
  const parts = { relay, upstream, names, observe };
  const app = createAgentAdmin({
    ...parts,
    envoy: admin,
    reportToken,
    adminAuth,
    identity: { nodeId, version, xdsAddress, startedAt: clock.now() },
    metrics: agentMetrics({
      ...parts,
      nodeId,
      cluster,
      process: envoys,
      watchdog,
      passwords,
      limits,
      admin,
      cache: () => cache?.state,
    }),
    now: () => clock.now(),
    logger: componentLogger(logger, 'admin'),
  });
  return listen(app.callback(), adminListen, { key: 'dataplane.adminListen' });
}
