/** A Service in a URL of the cluster: `http://NAME.NAMESPACE.svc.cluster.local:PORT/PATH`. */
export interface ServiceUrl {
  readonly name: string;
  readonly namespace: string;
  readonly port: number;
  /** With its query; `/` if there is none. */
  readonly path: string;
}

const form =
  /^http:\/\/(?<name>[a-z0-9][-a-z0-9]*)(?:\.(?<namespace>[a-z0-9][-a-z0-9]*)(?:\.svc(?:\.[a-z0-9.-]+)?)?)?(?::(?<port>\d{1,5}))?(?<path>[/?].*)?$/;

/** The Service that a URL names; undefined for other hosts. A name without a namespace is one of `home`. */
export function serviceUrl(url: string, home: string): ServiceUrl | undefined {
  const { name, namespace = home, port = '80', path = '/' } = form.exec(url)?.groups ?? {};
  if (name === undefined || Number(port) > 65_535 || Number(port) < 1) return undefined;
  return { name, namespace, port: Number(port), path };
}
