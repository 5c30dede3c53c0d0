import { IngressNginxModel, type World, WorldReader } from '../../src/ingress/index.ts';

/** An Ingress as a test needs it, in the namespace `shop`. */
export interface IngressParts {
  readonly name?: string;
  readonly host?: string;
  readonly created?: string;
  /** Without their prefix. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** `[TYPE ]PATH` to the name of a Service. */
  readonly paths: Readonly<Record<string, string>>;
  readonly defaultBackend?: string;
  readonly tls?: readonly string[];
  /** Secrets that are there. */
  readonly secrets?: readonly string[];
}

export interface WorldParts {
  readonly settings?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, string>>;
  /** Services that are there, with how many of their endpoints are ready; undefined: nothing is known of Services. */
  readonly endpoints?: Readonly<Record<string, number>>;
}

const service = (name: string) => ({ service: { name, port: { number: 80 } } });

export const ingressOf = ({ name = 'app', host = 'a.test', created, annotations = {}, ...parts }: IngressParts) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: {
    name,
    namespace: 'shop',
    ...(created !== undefined && { creationTimestamp: created }),
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`nginx.ingress.kubernetes.io/${key}`, value]),
    ),
  },
  spec: {
    ingressClassName: 'nginx',
    ...(parts.defaultBackend !== undefined && { defaultBackend: service(parts.defaultBackend) }),
    ...(parts.tls && { tls: [{ hosts: parts.tls, secretName: 'certificate' }] }),
    rules:
      Object.keys(parts.paths).length === 0
        ? []
        : [
            {
              host,
              http: {
                paths: Object.entries(parts.paths).map(([written, backend]) => {
                  const [, pathType = 'Prefix', path = ''] = /^(?:(\w+) )?(.*)$/s.exec(written) ?? [];
                  return { path, pathType, backend: service(backend) };
                }),
              },
            },
          ],
  },
});

/** How a controller answers that has these Ingresses. */
export const modelOf = (ingresses: readonly IngressParts[], parts: WorldParts = {}): IngressNginxModel =>
  new IngressNginxModel(worldOf(ingresses, parts));

function worldOf(ingresses: readonly IngressParts[], { settings = {}, flags = {}, endpoints }: WorldParts): World {
  const reader = new WorldReader();
  const inNginx = { namespace: 'ingress-nginx', name: 'ingress-nginx-controller' };
  reader.add({ apiVersion: 'v1', kind: 'ConfigMap', metadata: inNginx, data: settings });
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const containers = [
    { args: ['/nginx-ingress-controller', '--configmap=ingress-nginx/ingress-nginx-controller', ...args] },
  ];
  reader.add({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: inNginx,
    spec: { template: { spec: { containers } } },
  });
  for (const parts of ingresses) {
    reader.add(ingressOf(parts));
    for (const name of parts.secrets ?? [])
      reader.add({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'shop' } });
  }
  for (const [name, count] of Object.entries(endpoints ?? {})) {
    const metadata = { name, namespace: 'shop', labels: { 'kubernetes.io/service-name': name } };
    const addresses = Array.from({ length: count }, (_, at) => ({ addresses: [`10.0.0.${at}`] }));
    reader.add({ apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 80 }] } });
    reader.add({ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, endpoints: addresses });
  }
  const unread = ['IngressClass', ...(endpoints ? [] : (['Service', 'EndpointSlice'] as const))] as const;
  return reader.world({ unread });
}
