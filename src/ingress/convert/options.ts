/** What the person who converts says. */
export interface ConvertOptions {
  /** Of the Gateway that is made. */
  readonly gateway: { readonly namespace: string; readonly name: string };
  readonly gatewayClass: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Ingresses that are not served today are converted too. */
  readonly includeDead: boolean;
  /**
   * How certificates move that cert-manager issues for Ingresses: `reference` leaves that to it, `explicit` writes Certificates, and `annotate`
   * moves its annotations to the ListenerSets. Undefined: `reference`.
   */
  readonly certificates?: 'reference' | 'explicit' | 'annotate' | undefined;
  /** Keys of Ingresses that are converted although a part of them has no equivalent here. */
  readonly without: ReadonlySet<string>;
}
