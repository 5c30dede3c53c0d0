import { parseAllDocuments } from 'yaml';
import type { ConvertOptions } from '../../src/ingress/convert/options.ts';
import { WorldReader } from '../../src/ingress/index.ts';
import type { World } from '../../src/ingress/world/world.ts';

const prefix = 'nginx.ingress.kubernetes.io';

/** An Ingress of class nginx in namespace `shop` with one host and these paths, each to Service `web`, port 80. */
export const ingress = (
  name: string,
  annotations: Readonly<Record<string, string>> = {},
  { host = 'a.test', paths = ['/'], type = 'Prefix', service = 'web', more = {} }: Partial<IngressChoice> = {},
): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: {
    name,
    namespace: 'shop',
    annotations: Object.fromEntries(Object.entries(annotations).map(([short, value]) => [`${prefix}/${short}`, value])),
  },
  spec: {
    ingressClassName: 'nginx',
    rules: [
      {
        host,
        http: {
          paths: paths.map((path) => ({
            path,
            pathType: type,
            backend: { service: { name: service, port: { number: 80 } } },
          })),
        },
      },
    ],
    ...more,
  },
});

interface IngressChoice {
  readonly host: string;
  readonly paths: readonly string[];
  readonly type: string;
  readonly service: string;
  /** Of its spec. */
  readonly more: object;
}

/** The controller with flags and keys of its ConfigMap, and its class. */
export const controller = (config: Readonly<Record<string, string>> = {}, flags: readonly string[] = []): object[] => [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'controller', namespace: 'ingress-nginx' },
    spec: {
      template: {
        spec: {
          containers: [
            {
              image: 'registry.k8s.io/ingress-nginx/controller:v1.15.1',
              args: ['/nginx-ingress-controller', '--configmap=ingress-nginx/config', ...flags],
            },
          ],
        },
      },
    },
  },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'config', namespace: 'ingress-nginx' }, data: config },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name: 'nginx' },
    spec: { controller: 'k8s.io/ingress-nginx' },
  },
];

/** The world of some objects; kinds of which there is none were not looked at. */
export function worldOf(...objects: readonly object[]): World {
  const reader = new WorldReader();
  for (const object of objects) reader.add(object);
  return reader.world({ unread: reader.missing, areWritten: true });
}

/** The world of a YAML text. */
export const worldOfYaml = (text: string): World =>
  worldOf(...parseAllDocuments(text).map((document) => document.toJS() as object));

/** How worlds of tests are converted. */
export const convertOptions: ConvertOptions = {
  gateway: { namespace: 'infra', name: 'edge' },
  gatewayClass: 'gatewright',
  httpPort: 80,
  httpsPort: 443,
  includeDead: false,
  without: new Set<string>(),
};
