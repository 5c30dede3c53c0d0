import { objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import type { ObjectReference } from '../../graph/index.ts';
import type { AdminSources } from '../sources.ts';
import { authorityFacts, type CertificateFacts, certificateFacts } from './certificate-facts.ts';
import type { CertificateRecord } from './record.ts';

/** One object with certificates, and its users. */
export interface CertificateEntry {
  readonly kind: CertificateRecord['kind'];
  readonly key: string;
  readonly facts: CertificateFacts | undefined;
  /** There is such an object, whether its content can be used or not. */
  readonly exists: boolean;
  readonly usedBy: CertificateRecord['usedBy'];
}

/** Every Secret that a listener names, those that Gateways show to backends, and the authorities that others are checked by; the order is not resolved. */
export const listCertificates = (sources: Pick<AdminSources, 'graph'>): CertificateEntry[] => [
  ...listServed(sources),
  ...listAuthorities(sources),
];

/** Of several certificates in one object, the one that ends first. */
export const listAuthorities = ({ graph }: Pick<AdminSources, 'graph'>): CertificateEntry[] =>
  [...graph.authorities()].map((holding) => ({
    kind: holding.kind,
    key: holding.key,
    facts: authorityFacts(holding),
    exists: true,
    usedBy: holding.usedBy as CertificateRecord['usedBy'],
  }));

/** Without the authorities. */
export function listServed({ graph }: Pick<AdminSources, 'graph'>): CertificateEntry[] {
  const snapshot = graph.snapshot();
  const found = new Map<
    string,
    { facts: CertificateFacts | undefined; usedBy: CertificateRecord['usedBy'][number][] }
  >();
  const entryOf = (key: string) => {
    const known = found.get(key) ?? { facts: undefined, usedBy: [] };
    found.set(key, known);
    return known;
  };
  const named = new Set<string>();
  for (const { name, gateway, fleet, tls } of graph.listeners()) {
    for (const reference of tls?.certificates ?? []) {
      const key = secretKey(reference);
      entryOf(key).usedBy.push({ kind: 'Listener', namespace: gateway.namespace, name });
      named.add(`${fleet} ${key}`);
    }
  }
  for (const gateway of snapshot?.gateways.values() ?? []) {
    for (const [key, secret] of gateway.secrets) {
      const entry = entryOf(key);
      entry.facts ??= certificateFacts(secret);
      if (named.has(`${gateway.key} ${key}`)) continue;
      for (const user of showing(key, gateway.key, graph))
        entry.usedBy.push({ kind: 'Gateway', ...parseObjectKey(user) });
    }
  }
  return [...found].map(([key, entry]) => ({
    kind: 'Secret',
    key,
    ...entry,
    exists: entry.facts !== undefined || graph.find('Secret', key) !== undefined,
  }));
}

/** The Gateways of these proxies that show the certificate to backends. */
function showing(secret: string, fleet: string, graph: AdminSources['graph']): string[] {
  const keys = [...graph.gatewaysOf(fleet)];
  if (keys.length < 2) return keys.length === 0 ? [fleet] : keys;
  return keys.filter((key) => {
    const { namespace } = parseObjectKey(key);
    const ref = graph.find('Gateway', key)?.spec.tls?.backend?.clientCertificateRef;
    return ref && objectKey(ref.namespace ?? namespace, ref.name) === secret;
  });
}

const secretKey = ({ namespace, name }: ObjectReference): string => objectKey(namespace, name);
