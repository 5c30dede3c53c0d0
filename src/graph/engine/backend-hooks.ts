import type * as ir from '../../ir/index.ts';
import type { Edges } from './edges.ts';
import type { AnyEdge } from './kind-module.ts';
import type { Store } from './store.ts';

/** What policies are found by. */
export interface Lookup {
  readonly store: Store;
  readonly edges: Edges;
}

/** What a policy says of one backend. */
export interface BackendSetting {
  readonly fields?: Partial<ir.Backend>;
  /** There is no way to the backend that the policy allows: it gets no endpoints. */
  readonly isClosed?: true;
}

/**
 * How policies of a kind act on backends: the graph applies those of all kinds in the order of the registry, and marks their statuses when
 * the use of a backend changes.
 */
export interface BackendSettings {
  /** From the policies to owners of backends, see ownerOfBackend. */
  readonly edge: AnyEdge;
  /** Their statuses say what proxies reject of the backends. */
  readonly reportsRejections: boolean;
  /** `backend`: as its Service, or whatever it is of, describes it. */
  readonly settingOf: (owner: string, backend: ir.Backend, lookup: Lookup) => BackendSetting | undefined;
}
