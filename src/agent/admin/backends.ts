import type { ListSpec } from '../../admin/http/index.ts';
import { isInnerCluster, parseClusterName } from '../../contracts/index.ts';
import type { EnvoyCluster, EnvoyHost } from '../envoy/clusters.ts';

/** One backend with its endpoints as Envoy sees them. */
interface BackendHealth {
  readonly name: string;
  readonly namespace: string;
  readonly endpoints: Map<string, EnvoyHost>;
}

/**
 * `/api/v1/stats/backends`: by Service and port, which is how clusters are named (`NAMESPACE/SERVICE/PORT`, and more for
 * variants), in no resolved order. An endpoint that several variants have is healthy when it is for all of them.
 */
export function backendsRecord(clusters: readonly EnvoyCluster[]) {
  const backends = new Map<string, BackendHealth>();
  for (const cluster of clusters) {
    const { namespace, service, port } = parseClusterName(cluster.name);
    // Clusters of ours that stand for no backend have no port. A namespace of users may have any name, also that of ours.
    // What chooses among AIServices is a part of its route, which the control plane's list leaves out too.
    if (port === undefined || isInnerCluster(cluster.name)) continue;
    const name = `${service}:${port}`;
    const key = `${namespace}/${name}`;
    const known = backends.get(key) ?? { name, namespace, endpoints: new Map<string, EnvoyHost>() };
    backends.set(key, known);
    for (const host of cluster.hosts) {
      const before = known.endpoints.get(host.address);
      if (before === undefined || before.healthy) known.endpoints.set(host.address, host);
    }
  }
  return [...backends.values()].map(({ name, namespace, endpoints }) => ({
    name,
    namespace,
    endpoints: [...endpoints.values()]
      .sort((a, b) => (a.address < b.address ? -1 : 1))
      .map(({ address, healthy, zone, failure, weight }) => ({ address, healthy, zone, failure, weight })),
  }));
}

/** How the list is narrowed and ordered: with the words that the control plane's list of backends takes too, as far as a cluster shows. */
export const backendHealthList: ListSpec<Pick<BackendHealth, 'namespace' | 'name'>> = {
  filters: {
    namespace: (value) => (backend) => backend.namespace === value,
    name: (value) => (backend) => backend.name === value,
  },
  sorts: {
    // By number: the order of the control plane's list, so that the two can be laid side by side.
    namespace: ({ namespace, name }) => {
      const [service = '', port = ''] = name.split(':');
      return [namespace, service, port.padStart(5, '0')].join('\u0000');
    },
    name: ({ name }) => name,
  },
};
