/** Name of the cluster that stands for the agent, which records what was used and answers what may be. */
export const agentService = 'gatewright_agent';

/** Whom a proxy asks which tokens stand for which endpoints: produced by the agent's bootstrap, asked by the filter for sessions. */
export const sessionService = 'gatewright_sessions';

/** Whether a cluster is one of AI traffic: of a provider, of a rule, or of a sequence of services. See keyOfAiService and keyOfAiRoute of the graph. */
export const isAiCluster = (name: string): boolean => /\/(?:ai\/~|ai-route(?:\||$))/.test(name);

/**
 * Whether a cluster leads to listeners within the proxy alone: that of a rule with AIServices, or of a sequence of services. It is a part of its
 * route and no backend, whatever its name begins with. A provider's own cluster is one.
 */
export const isAiRouteCluster = (name: string): boolean => /^[^/]+\/[^/]+\/\d+\/ai-route(?:\||$)/.test(name);

/** Whether a cluster is the one that leads requests to the listener for servers that they name; its servers are those of another cluster. */
export const isNamedFront = (name: string): boolean => /^[^/]+\/[^/]+\/\d+\/dynamic$/.test(name);

/** What a backend's cluster is named for, `NAMESPACE/SERVICE/PORT` and more for variants. Other clusters have no port. */
export function parseClusterName(name: string): {
  readonly namespace: string;
  readonly service?: string | undefined;
  readonly port?: string | undefined;
} {
  const [namespace = '', service, port] = name.split('/', 3);
  return { namespace, service, port };
}
