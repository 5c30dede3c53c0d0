/** How a Gateway is made of what Traefik serves. */
export interface TraefikOptions {
  readonly gateway: { readonly namespace: string; readonly name: string };
  readonly gatewayClass: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Ports of entry points, by name: they are in Traefik's own configuration, which is not read. */
  readonly entryPoints: Readonly<Record<string, number>>;
  /** Grammar of rules that do not say it. */
  readonly syntax: 'v2' | 'v3';
  /** `NAMESPACE/NAME` of objects that are converted although a part that protects has no equivalent here. */
  readonly without: ReadonlySet<string>;
}
