import type { TopologyEdge, TopologyNode } from './record.ts';

/** Nodes and edges as they are found. */
export interface TopologyParts {
  readonly nodes: Map<string, TopologyNode>;
  readonly edges: TopologyEdge[];
}

/** Nodes and edges that nothing is added to. */
export interface Part {
  readonly nodes: ReadonlyMap<string, TopologyNode>;
  readonly edges: readonly TopologyEdge[];
}

/** Ids of nodes. */
export const ids = {
  gatewayClass: (name: string): string => `gatewayclass/${name}`,
  gateway: (key: string): string => `gateway/${key}`,
  listener: (name: string): string => `listener/${name}`,
  route: ({ kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string }) =>
    `route/${kind.toLowerCase()}/${namespace}/${name}`,
  /** By the key of its port: portOfBackend. */
  backend: (port: string): string => `backend/${port}`,
  endpoints: (port: string): string => `endpoints/${port}`,
  policy: (kind: string, key: string): string => `policy/${kind.toLowerCase()}/${key}`,
  dataPlane: (nodeId: string): string => `dataplane/${nodeId}`,
};
