import type { Config } from '../../config/index.ts';
import type { InformerHooks } from '../../kube/index.ts';
import { lostPermissions } from './lost-permissions.ts';

/** What of the cluster this control plane reads and writes: what it has rights for, and nothing else. */
export interface ClusterScope {
  /** Namespaces that are read; undefined: all. */
  readonly reads: readonly string[] | undefined;
  /** Where all proxies run; undefined: each Gateway's in its own namespace. */
  readonly proxies: string | undefined;
  /** Where proxies run that the Gateways of a class share, unless their DataPlane says it. */
  readonly shared: string;
  /** Namespaces in which proxies are made; undefined: all. */
  readonly writes: readonly string[] | undefined;
}

/** As it is configured. `own`: the namespace of the control plane. */
export function clusterScope({ source, infrastructure }: Pick<Config, 'source' | 'infrastructure'>, own: string) {
  const reads = source.kind === 'kubernetes' ? source.namespaces : undefined;
  const { namespace: proxies } = infrastructure;
  const shared = proxies ?? own;
  const writes = proxies === undefined ? reads && [...new Set([...reads, shared])] : [proxies];
  return { reads, proxies, shared, writes } satisfies ClusterScope;
}

/** Hooks that obstruct building while a kind may not be read any more, unless it is read in some namespaces only: then the others go on. */
export function scopedHooks(
  hooks: InformerHooks,
  { reads }: ClusterScope,
  report: Parameters<typeof lostPermissions>[1],
): InformerHooks {
  const obstructing = lostPermissions(hooks, report);
  const isWhole: (kind: { readonly name: string; readonly namespaced: boolean }) => boolean = ({ name, namespaced }) =>
    reads === undefined || !(namespaced || name === 'Namespace');
  return {
    ...hooks,
    restarted: (kind, ...rest) => (isWhole(kind) ? obstructing : hooks).restarted?.(kind, ...rest),
    stateChanged: (kind, state) => (isWhole(kind) ? obstructing : hooks).stateChanged?.(kind, state),
  };
}
