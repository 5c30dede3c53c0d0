import type { Origin } from './envoy-resource.ts';

/** Whether making something throws nothing. */
export function isEncodable(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

/** What is left out of something that is made, because it cannot be encoded: a field of Envoy has no room for a number, say. */
export interface LeftOut {
  readonly origins: readonly Origin[];
  /** Why the first of them cannot be. */
  readonly error: unknown;
}
