import type { AnsweredRequest } from '../../admin/index.ts';
import type { NodeRef } from '../../xds/index.ts';
import type { Causes } from './snapshot-causes.ts';

/** A build that is published. Times are milliseconds of `performance.now`. */
export interface TracedBuild extends Causes {
  readonly snapshot: string;
  /** When the first of the changes came; undefined: no object changed. */
  readonly since: number | undefined;
  readonly began: number;
  readonly changes: number;
  readonly statuses: number;
}

/** What happens in a control plane, for one that makes spans of it. */
export interface Tracer {
  built(build: TracedBuild): void;
  applied(snapshot: string, proxy: NodeRef): void;
  converged(snapshot: string, proxies: number): void;
  rejected(rejection: NodeRef & { readonly kind: string; readonly key: string; readonly message: string }): void;
  answered(request: AnsweredRequest): void;
}

/** Where a tracer is put, if there is one. Without it nothing is gathered for it. */
export interface Traced {
  tracer: Tracer | undefined;
}
