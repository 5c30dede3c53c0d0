import type { ServerResponse } from 'node:http';
import { issue, type TestCertificate } from '../certificates.ts';
import type { Endings } from '../endings.ts';
import { startBackend } from '../http.ts';

/** A company's cluster as a file has it: the controller, 60 Ingresses of five teams, their Services and what they name. */

const nginx = 'nginx.ingress.kubernetes.io';

/** One Ingress, as short as a table can say it. */
export interface IngressRow {
  /** `NAMESPACE/NAME`. */
  readonly at: string;
  readonly hosts: readonly string[];
  /** `[TYPE ]PATH` to `SERVICE` or `SERVICE:PORTNAME`; port 80 unless it says another. */
  readonly paths: Readonly<Record<string, string>>;
  /** Of ingress-nginx, without the prefix. */
  readonly notes?: Readonly<Record<string, string>>;
  /** Of others, with their prefix. */
  readonly foreign?: Readonly<Record<string, string>>;
  /** Its hosts have a certificate, in this Secret. */
  readonly tls?: string;
  readonly defaultBackend?: string;
}

const namespaceOf = ({ at }: IngressRow): string => at.slice(0, at.indexOf('/'));
const nameOf = ({ at }: IngressRow): string => at.slice(at.indexOf('/') + 1);

function backendOf(written: string): object {
  const [name, port = '80'] = written.split(':');
  return { service: { name, port: /^\d+$/.test(port) ? { number: Number(port) } : { name: port } } };
}

export const ingressObject = (row: IngressRow): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: {
    name: nameOf(row),
    namespace: namespaceOf(row),
    annotations: {
      ...row.foreign,
      ...Object.fromEntries(Object.entries(row.notes ?? {}).map(([name, value]) => [`${nginx}/${name}`, value])),
    },
  },
  spec: {
    ingressClassName: 'nginx',
    ...(row.defaultBackend !== undefined && { defaultBackend: backendOf(row.defaultBackend) }),
    ...(row.tls !== undefined && { tls: [{ hosts: row.hosts, secretName: row.tls }] }),
    rules: row.hosts.map((host) => ({
      host,
      http: {
        paths: Object.entries(row.paths).map(([written, backend]) => {
          const [, pathType = 'Prefix', path = ''] = /^(?:(\w+) )?(.*)$/s.exec(written) ?? [];
          return { path, pathType, backend: backendOf(backend) };
        }),
      },
    })),
  },
});

const secretOf = (row: IngressRow): string | undefined => row.tls && `${namespaceOf(row)}/${row.tls}`;

/** Every Service that some path names, as `NAMESPACE/NAME`. */
const serviceNames = (rows: readonly IngressRow[]): readonly string[] => [
  ...new Set(
    rows.flatMap((row) =>
      [...Object.values(row.paths), ...(row.defaultBackend === undefined ? [] : [row.defaultBackend])].map(
        (backend) => `${namespaceOf(row)}/${backend.split(':')[0]}`,
      ),
    ),
  ),
];

/** Backends of all Services: each sets a cookie of its Service's name, by which it is known in answers. */
export interface Services {
  /** Where all of them listen. */
  readonly address: string;
  readonly ports: ReadonlyMap<string, number>;
  readonly certificate: TestCertificate;
  /** Of the Service that an upstream of the model is; a port where nothing listens if there is none. */
  portOf(upstream: { readonly namespace: string; readonly service: string } | undefined): number;
}

export async function startServices(t: Endings, rows: readonly IngressRow[], address = '127.0.0.1'): Promise<Services> {
  const ports = new Map<string, number>();
  for (const name of serviceNames(rows)) {
    const answer = (_: unknown, response: ServerResponse) =>
      response.setHeader('set-cookie', `${cookieOf(name)}=1`).end(name);
    const { port } = await startBackend(t, answer, address);
    ports.set(name, port);
  }
  const hosts = new Set(rows.flatMap((row) => (row.tls === undefined ? [] : row.hosts)));
  const certificate = await issue(...hosts);
  return {
    address,
    ports,
    certificate,
    portOf: (upstream) => ports.get(`${upstream?.namespace}/${upstream?.service}`) ?? 1,
  };
}

/** The cookie that a Service sets. */
export const cookieOf = (service: string): string => service.replace('/', '.');

/** All objects of the company but those of the controller. */
export function objectsOf(rows: readonly IngressRow[], { address, ports, certificate }: Services): readonly object[] {
  const metadataOf = (key: string, ending = '') => {
    const [namespace, name] = key.split('/');
    return { namespace, name: `${name}${ending}` };
  };
  const services = [...ports].flatMap(([key, port]) => [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadataOf(key),
      spec: { ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadataOf(key, '-1'), labels: { 'kubernetes.io/service-name': metadataOf(key).name } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port }],
      endpoints: [{ addresses: [address] }],
    },
  ]);
  const secrets = [...new Set(rows.flatMap((row) => secretOf(row) ?? []))].map((key) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: metadataOf(key),
    stringData: { 'tls.crt': certificate.certificate, 'tls.key': certificate.key },
  }));
  const passwords = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'api', name: 'passwords', labels: { 'gatewright.dev/credentials': 'true' } },
    stringData: { auth: 'ann:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n' },
  };
  return [...services, ...secrets, passwords, ...rows.map(ingressObject)];
}

/** What an nginx without the controller answers as well: paths, expressions, rewrites and redirects. */
const plainNotes: ReadonlySet<string> = new Set([
  ...['use-regex', 'rewrite-target', 'x-forwarded-prefix', 'app-root', 'permanent-redirect', 'temporal-redirect'],
  ...['ssl-redirect', 'force-ssl-redirect', 'proxy-body-size', 'proxy-read-timeout', 'proxy-send-timeout'],
  ...['proxy-connect-timeout', 'proxy-buffering', 'proxy-max-temp-file-size', 'limit-connections', 'upstream-hash-by'],
]);

const isPlain = ({ notes = {}, defaultBackend }: IngressRow): boolean =>
  defaultBackend === undefined && Object.keys(notes).every((name) => plainNotes.has(name));

/** The Ingresses of hosts of which a real nginx can answer all. */
export function plainRows(rows: readonly IngressRow[]): readonly IngressRow[] {
  const odd = new Set(rows.filter((row) => !isPlain(row)).flatMap(({ hosts }) => hosts));
  return rows.filter(({ hosts }) => hosts.every((host) => !odd.has(host)));
}
