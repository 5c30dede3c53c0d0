import type { GraphCopy } from '../../graph/index.ts';
import type { Steps } from '../../std/steps/index.ts';

/** What is wrong with an Ingress that is served, as those say who make other objects of it. */
export interface IngressFault {
  readonly reason: string;
  readonly message: string;
  /** Nothing of it is served. */
  readonly isWhole?: true;
}

/** What became of one Ingress of a class of ours. */
export interface ServedIngress {
  /** `NAMESPACE/NAME`; undefined: its class names none. */
  readonly gateway: string | undefined;
  readonly faults: readonly IngressFault[];
  /** Keys of the HTTPRoutes that it became. */
  readonly routes: readonly string[];
  /** Another controller writes its status. */
  readonly isAdopted?: true;
}

/** Ingresses that are served; by their keys. */
export interface IngressesView {
  entries(): Iterable<readonly [ingress: string, served: ServedIngress]>;
  find(ingress: string): ServedIngress | undefined;
  /** Makes in a copy of the graph what Ingresses would become there, and gives what that is. Left out: none is served, and none is read. */
  deriveInto?(copy: GraphCopy): Steps<ReadonlyMap<string, ServedIngress>>;
}

/** Where no Ingress is served. */
export const noIngresses: IngressesView = { entries: () => [], find: () => undefined };
