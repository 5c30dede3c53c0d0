/** To which cluster a proxy reports what was used, and which it asks what may be: produced by the agent's bootstrap, used for AI traffic. */
export const agentService = 'gatewright_agent';

/** Whom a proxy asks about limits that all proxies of a Gateway share, and nothing else: produced by the agent's bootstrap, used by their filters. */
export const sharedLimitService = 'gatewright_limits';

/** Whom a proxy asks which tokens stand for which endpoints: produced by the agent's bootstrap, asked by the filter for sessions. */
export const sessionService = 'gatewright_sessions';

/**
 * For so many milliseconds Envoy may wait for the first check of a cluster's endpoints, in which it takes no other change: agents then end the wait. Of
 * clusters that resolve a name they cannot, so control planes have Envoy not wait for one whose first check may take longer.
 */
export const longestFirstCheckMs = 5000;

/**
 * Whether listeners within the proxy lead to a cluster, or it leads to them: of AI traffic those of a provider, of a rule, or of a sequence of services,
 * of a pool its own, that of its model servers, and that of its picker. See keyOfAiService, keyOfAiRoute and keyOfPool of the graph.
 */
export const isBehindInnerListener = (name: string): boolean =>
  /\/(?:ai\/~|(?:ai-route|pool|servers|picker)(?:\||$))/.test(name);

/**
 * Whether a cluster leads to listeners within the proxy alone: that of a rule with AIServices, of a sequence of services, of a pool and its picker, or
 * of servers that requests name. It is no backend, whatever its name begins with. A provider's own cluster is one, and so is that of servers.
 */
export const isInnerCluster = (name: string): boolean =>
  /^[^/]+\/[^/]+\/\d+\/(?:(?:ai-route|pool)(?:\||$)|dynamic$)/.test(name);

/** What a backend's cluster is named for, `NAMESPACE/SERVICE/PORT` and more for variants. Other clusters have no port. */
export function parseClusterName(name: string): {
  readonly namespace: string;
  readonly service?: string | undefined;
  readonly port?: string | undefined;
} {
  const [namespace = '', service, port] = name.split('/', 3);
  return { namespace, service, port };
}
