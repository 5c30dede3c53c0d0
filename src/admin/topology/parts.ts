/** What a node of the topology stands for. */
export const topologyTypes = [
  'gatewayclass',
  'gateway',
  'listener',
  'route',
  'backend',
  'endpoints',
  'dataplane',
] as const;

export type TopologyType = (typeof topologyTypes)[number];

/** `degraded`: serves, with something missing. */
export type TopologyStatus = 'healthy' | 'degraded' | 'failed' | 'unknown';

export interface TopologyNode {
  /** Its type and its name, such as `route/httproute/default/web`. */
  readonly id: string;
  readonly type: TopologyType;
  readonly label: string;
  /** Empty for what belongs to no namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly status: TopologyStatus;
  /** What is wrong, or what there is to know. */
  readonly detail: string;
}

/** From the one that depends to the one it depends on: class and Gateway, Gateway and listener the other way round. */
export interface TopologyEdge {
  readonly source: string;
  readonly target: string;
  readonly type: 'attach' | 'forward' | 'mirror' | 'resolve' | 'serve';
  /** Share of requests that a route forwards, over all of its rules; null for other edges. */
  readonly weight: number | null;
  readonly status: TopologyStatus;
}

/** Nodes and edges as they are found. */
export interface TopologyParts {
  readonly nodes: Map<string, TopologyNode>;
  readonly edges: TopologyEdge[];
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
  dataPlane: (nodeId: string): string => `dataplane/${nodeId}`,
};
