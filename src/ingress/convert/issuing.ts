import type { Fields } from '../features/part.ts';
import type { Site } from '../judge/site.ts';
import type { Ingress } from '../world/objects.ts';
import { objectOf } from './object.ts';
import type { WrittenObject } from './yaml.ts';

/** What cert-manager reads of an Ingress. Sources: its documentation, "Annotated Ingress resource" and "Certificate resource". */

const prefix = 'cert-manager.io/';
const issuers = [`${prefix}issuer`, `${prefix}cluster-issuer`];

/** Its annotations, of an Ingress that names an issuer. Those about solvers and about editing are for Ingresses alone. */
export function issuingAnnotations({ metadata: { annotations = {} } }: Ingress): Readonly<Record<string, string>> {
  if (!issuers.some((name) => annotations[name])) return {};
  const own = Object.entries(annotations).filter(([name]) => name.startsWith(prefix) && !ofCertManager.has(name));
  return Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What it writes itself. */
const ofCertManager: ReadonlySet<string> = new Set(
  ['certificate-name', 'issue-temporary-certificate', 'allow-direct-injection'].map((name) => prefix + name),
);

type Put = (value: string) => Fields;
const number = (value: string): number | string => (/^\d{1,9}$/.test(value) ? Number(value) : value);

/** Annotations beside the issuer, as fields of a Certificate. */
const fields: Readonly<Record<string, Put>> = {
  'common-name': (commonName) => ({ commonName }),
  duration: (duration) => ({ duration }),
  'renew-before': (renewBefore) => ({ renewBefore }),
  'revision-history-limit': (value) => ({ revisionHistoryLimit: number(value) }),
  usages: (value) => ({ usages: value.split(',').map((usage) => usage.trim()) }),
  'private-key-algorithm': (algorithm) => ({ privateKey: { algorithm } }),
  'private-key-encoding': (encoding) => ({ privateKey: { encoding } }),
  'private-key-rotation-policy': (rotationPolicy) => ({ privateKey: { rotationPolicy } }),
  'private-key-size': (value) => ({ privateKey: { size: number(value) } }),
};

/** As the API server takes it: it stands in a command for a shell. */
const nameForm = /^[a-z0-9][-a-z0-9.]*$/;

const ofIssuer: ReadonlySet<string> = new Set(['issuer', 'cluster-issuer', 'issuer-kind', 'issuer-group']);

/** Certificates in place of those that cert-manager makes for Ingresses and deletes with them, by namespace. Of two for one Secret the first counts. */
export function issuedCertificates(
  { ordered }: Site,
  left: (ingress: Ingress) => boolean,
): ReadonlyMap<string, readonly WrittenObject[]> {
  const found = new Map<string, { readonly namespace: string; readonly written: WrittenObject }>();
  for (const ingress of ordered) {
    const annotations = issuingAnnotations(ingress);
    const { namespace = 'default' } = ingress.metadata;
    if (Object.keys(annotations).length === 0 || left(ingress)) continue;
    for (const { hosts = [], secretName } of ingress.spec.tls ?? []) {
      const key = `${namespace}/${secretName}`;
      if (!nameForm.test(secretName ?? '') || secretName === undefined || hosts.length === 0 || found.has(key))
        continue;
      found.set(key, { namespace, written: certificateOf(namespace, secretName, hosts, annotations) });
    }
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  return new Map(
    [...Map.groupBy(sorted, (each) => each.namespace)].map(([namespace, some]) => [
      namespace,
      some.map(({ written }) => written),
    ]),
  );
}

function certificateOf(
  namespace: string,
  secretName: string,
  hosts: readonly string[],
  annotations: Readonly<Record<string, string>>,
): WrittenObject {
  const written = Object.entries(annotations).map(([name, value]) => [name.slice(prefix.length), value] as const);
  const lost = written.filter(([name]) => !ofIssuer.has(name) && !Object.hasOwn(fields, name));
  const made = written.flatMap(([name, value]): readonly Fields[] => {
    const put = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return put ? [put(value)] : [];
  });
  const keys = made.flatMap(({ privateKey }) => (privateKey === undefined ? [] : [privateKey as Fields]));
  const spec = {
    secretName,
    dnsNames: hosts,
    issuerRef: issuerOf(annotations),
    ...Object.assign({}, ...made),
    ...(keys.length > 0 && { privateKey: Object.assign({}, ...keys) }),
  };
  return {
    object: objectOf('cert-manager.io/v1', 'Certificate', { name: secretName, namespace }, spec),
    comments: [
      'cert-manager deletes the Certificate of this name together with its Ingress. Before this one is applied, take it from the Ingress:',
      `kubectl -n ${namespace} patch certificate ${secretName} --type=json -p='[{"op":"remove","path":"/metadata/ownerReferences"}]'`,
      ...lost.map(([name, value]) => `decision: ${prefix}${name}: ${value}: write it as a field of the Certificate`),
    ],
  };
}

function issuerOf(annotations: Readonly<Record<string, string>>): Fields {
  const of = (name: string) => annotations[prefix + name];
  const group = of('issuer-group');
  return {
    name: of('issuer') ?? of('cluster-issuer'),
    kind: of('issuer-kind') ?? (of('issuer') === undefined ? 'ClusterIssuer' : 'Issuer'),
    ...(group !== undefined && { group }),
  };
}
