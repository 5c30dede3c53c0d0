import type { Sensitive } from './sensitive.ts';

/** A certificate and its key, checked to belong together. */
export interface Secret {
  /** `NAMESPACE/NAME` of the Kubernetes Secret. */
  readonly key: string;
  /** PEM. Not sensitive as such, but private by default all the same. */
  readonly certificateChain: Sensitive;
  /** PEM. */
  readonly privateKey: Sensitive;
}
