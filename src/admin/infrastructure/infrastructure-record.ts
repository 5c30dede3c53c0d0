/** What somebody runs for a Gateway, or should. */
export interface InfrastructurePart {
  readonly kind:
    | 'Deployment'
    | 'Service'
    | 'Pod'
    | 'ServiceAccount'
    | 'ConfigMap'
    | 'NetworkPolicy'
    | 'PodDisruptionBudget'
    | 'HorizontalPodAutoscaler'
    | 'EndpointSlice'
    | 'Process';
  readonly namespace: string;
  readonly name: string;
  /** What it is there for. */
  readonly role:
    | 'identity'
    | 'trust'
    | 'proxies'
    | 'proxy'
    | 'address'
    | 'disruption-budget'
    | 'network-policy'
    | 'autoscaler'
    | 'endpoints'
    | 'agent'
    | 'envoy';
  /** `NAMESPACE/NAME` of the Gateway, `NAMESPACE/class:NAME` where those of a class share it; null when nothing says whose it is. */
  readonly owner: string | null;
  /**
   * `ready`; `pending`: not yet; `failed`: something is in the way; `drifted`: somebody changed it, or it is about to be changed;
   * `missing`: wished and not there; `orphan`: there and not wished.
   */
  readonly state: 'ready' | 'pending' | 'failed' | 'drifted' | 'missing' | 'orphan';
  /** Why it is not ready, for people. */
  readonly reasons: readonly string[];
  /** Of a Deployment or a process. */
  readonly replicas: { readonly desired: number; readonly ready: number } | null;
  /** Where it can be reached: IP addresses or names, with a port where it is one. */
  readonly addresses: readonly string[];
}

/** Parts, and what could not be found out. */
export interface InfrastructureParts {
  readonly parts: readonly InfrastructurePart[];
  readonly warnings: readonly { readonly code: 'infrastructure_unknown'; readonly message: string }[];
}

/** Looks at what runs; never rejects. */
export interface InfrastructureView {
  parts(): Promise<InfrastructureParts>;
}

/** All of it with counts. */
export interface InfrastructureRecord {
  readonly summary: {
    readonly resourceCount: number;
    readonly readyCount: number;
    readonly driftedCount: number;
    readonly missingCount: number;
    readonly orphanCount: number;
  };
  readonly resources: readonly InfrastructurePart[];
  readonly warnings: InfrastructureParts['warnings'];
}

/** Sorted by owner, kind and name. */
export function infrastructureRecord({ parts, warnings }: InfrastructureParts): InfrastructureRecord {
  const count = (state: InfrastructurePart['state']) => parts.filter((part) => part.state === state).length;
  return {
    summary: {
      resourceCount: parts.length,
      readyCount: count('ready'),
      driftedCount: count('drifted'),
      missingCount: count('missing'),
      orphanCount: count('orphan'),
    },
    resources: [...parts].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
    warnings,
  };
}

const sortKey = ({ owner, kind, namespace, name }: InfrastructurePart): string =>
  [owner ?? '\uffff', kind, namespace, name].join('\u0000');
