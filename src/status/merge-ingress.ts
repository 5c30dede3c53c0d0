import { isDeepStrictEqual } from 'node:util';
import type { IngressStatus } from '../gateway-api/index.ts';

export interface LiveIngressStatus {
  readonly loadBalancer?: { readonly ingress?: readonly object[] };
}

/** The Ingress's status to write. The API server leaves out an empty list, which says the same as none. */
export const mergeIngressStatus = (
  { loadBalancer }: LiveIngressStatus,
  { addresses }: IngressStatus,
): LiveIngressStatus =>
  isDeepStrictEqual(loadBalancer?.ingress ?? [], addresses) ? {} : { loadBalancer: { ingress: addresses } };
