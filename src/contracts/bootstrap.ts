/** Parts of Envoy's bootstrap that the agent decides on, and would not work without. */
const agents: readonly string[] = ['node', 'admin', 'dynamic_resources'];

/** Names of static clusters that are the agent's. */
const ownClusters = 'gatewright_';

/**
 * Why an addition to Envoy's bootstrap (JSON with names in snake_case) is not possible, as far as can be said without an
 * Envoy; undefined when nothing speaks against it. What else Envoy rejects, the agent finds out before it starts it.
 */
export function bootstrapFault(addition: Readonly<Record<string, unknown>>): string | undefined {
  const taken = agents.find((name) => name in addition);
  if (taken !== undefined) return `bootstrap.${taken} is the agent's: remove it`;
  const other = Object.keys(addition).find((name) => /[A-Z]/.test(name));
  if (other !== undefined) return `bootstrap.${other} is not how Envoy's names are written here: use snake_case`;
  const cluster = clusterNames(addition.static_resources).find((name) => name.startsWith(ownClusters));
  if (cluster === undefined) return undefined;
  return `bootstrap.static_resources has a cluster ${cluster}, and names that begin with ${ownClusters} are the agent's: rename it`;
}

function clusterNames(resources: unknown): string[] {
  const { clusters } = (resources ?? {}) as { readonly clusters?: unknown };
  if (!Array.isArray(clusters)) return [];
  return clusters.flatMap((cluster: { readonly name?: unknown } | null) =>
    typeof cluster?.name === 'string' ? cluster.name : [],
  );
}
