import type { Status } from './conditions.ts';

/** What is written of an Ingress: where its hosts are reached. Source: IngressStatus. */
export interface IngressStatus {
  readonly kind: 'Ingress';
  readonly addresses: readonly ({ readonly ip: string } | { readonly hostname: string })[];
}

/** All that is written as the status of an object. An Ingress has no conditions, so it is none of the forms that are read for them. */
export type WrittenStatus = Status | IngressStatus;
