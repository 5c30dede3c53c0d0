/** What is wrong with an Ingress that is served, as those say who make other objects of it. */
export interface IngressFault {
  readonly reason: string;
  readonly message: string;
  /** Nothing of it is served. */
  readonly isWhole?: true;
}
