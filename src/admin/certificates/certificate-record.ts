import { objectKey, splitKey } from '../../gateway-api/index.ts';
import type { ObjectReference } from '../../graph/index.ts';
import type { AdminSources } from '../sources.ts';
import { expiryWarningDays } from '../summary/summarize.ts';
import { type CertificateFacts, certificateFacts } from './certificate-facts.ts';

/** Who shows a certificate: a listener under its full name, or a Gateway towards its backends. */
export interface CertificateUser {
  readonly kind: 'Listener' | 'Gateway';
  readonly namespace: string;
  readonly name: string;
}

/** A Secret that something of ours names; facts are null when it is missing or cannot be used. */
export type CertificateRecord = {
  readonly namespace: string;
  readonly name: string;
} & { readonly [K in keyof CertificateFacts]: CertificateFacts[K] | null } & {
  /** Whole days until it ends, negative when it has. */
  readonly daysLeft: number | null;
  readonly state: 'valid' | 'expiring' | 'expired' | 'not-yet-valid' | 'unusable';
  readonly usedBy: readonly CertificateUser[];
};

/** One Secret and its users. */
export interface CertificateEntry {
  readonly key: string;
  readonly facts: CertificateFacts | undefined;
  readonly usedBy: readonly CertificateUser[];
}

/** Every Secret that a listener names, and those that Gateways show to backends; the order is not settled. */
export function listCertificates({ graph }: Pick<AdminSources, 'graph'>): CertificateEntry[] {
  const snapshot = graph.snapshot();
  const found = new Map<string, { facts: CertificateFacts | undefined; usedBy: CertificateUser[] }>();
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
      for (const user of showing(key, gateway.key, graph)) entry.usedBy.push({ kind: 'Gateway', ...splitKey(user) });
    }
  }
  return [...found].map(([key, entry]) => ({ key, ...entry }));
}

/** The Gateways of these proxies that show the certificate to backends. */
function showing(secret: string, fleet: string, graph: AdminSources['graph']): string[] {
  const keys = [...graph.gatewaysOf(fleet)];
  if (keys.length < 2) return keys.length === 0 ? [fleet] : keys;
  return keys.filter((key) => {
    const { namespace } = splitKey(key);
    const ref = graph.find('Gateway', key)?.spec.tls?.backend?.clientCertificateRef;
    return ref && objectKey(ref.namespace ?? namespace, ref.name) === secret;
  });
}

const secretKey = ({ namespace, name }: ObjectReference): string => objectKey(namespace, name);

const dayMs = 86_400_000;

/** Whole days until the certificate ends; undefined when it cannot be read. */
export const daysLeft = ({ facts }: CertificateEntry, now: Date): number | undefined =>
  facts && Math.floor((facts.notAfter.getTime() - now.getTime()) / dayMs);

export function certificateRecord(entry: CertificateEntry, now: Date): CertificateRecord {
  const { key, facts, usedBy } = entry;
  return {
    ...splitKey(key),
    ...(facts ?? noFacts),
    daysLeft: daysLeft(entry, now) ?? null,
    state: stateOf(facts, now),
    usedBy,
  };
}

const noFacts = { subject: null, sans: null, issuer: null, notBefore: null, notAfter: null, fingerprint: null };

function stateOf(facts: CertificateFacts | undefined, now: Date): CertificateRecord['state'] {
  if (facts === undefined) return 'unusable';
  if (facts.notBefore > now) return 'not-yet-valid';
  if (facts.notAfter <= now) return 'expired';
  return facts.notAfter.getTime() <= now.getTime() + expiryWarningDays * dayMs ? 'expiring' : 'valid';
}
