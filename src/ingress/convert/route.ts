import type { Fields } from '../features/part.ts';

export interface Route {
  readonly name: string;
  readonly spec: Fields;
  /** It serves the Ingress, so its policies are for it; others send clients to HTTPS. */
  readonly isMain: boolean;
  /** Any other route for the same requests comes before it. */
  readonly isLast?: true;
}
