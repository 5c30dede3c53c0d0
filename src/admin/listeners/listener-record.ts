import { type Condition, objectKey } from '../../gateway-api/index.ts';
import type { ListenerView, ObjectReference } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';
import { type CertificateFacts, certificateFacts } from '../certificates/certificate-facts.ts';
import { isTrue } from '../resource/conditions.ts';

/** A Secret that a listener names, with what its certificate says; nulls when the Secret is missing or cannot be used. */
export type ListenerCertificate = { readonly namespace: string; readonly name: string } & {
  readonly [K in keyof CertificateFacts]: CertificateFacts[K] | null;
};

export interface ListenerTls {
  readonly mode: string;
  readonly certificates: readonly ListenerCertificate[];
  /** Null: client certificates are not asked for. */
  readonly frontendValidation: 'AllowValidOnly' | 'AllowInsecureFallback' | null;
}

/** One listener of one of our Gateways. */
export interface ListenerRecord {
  readonly name: string;
  readonly gateway: { readonly namespace: string; readonly name: string };
  readonly source: 'Gateway' | 'ListenerSet';
  readonly section: string;
  readonly addresses: readonly { readonly type: string; readonly value: string }[];
  readonly port: number;
  readonly protocol: string;
  readonly hostname: string | null;
  readonly tls: ListenerTls | null;
  readonly attachedRoutes: number;
  readonly routes: readonly ObjectReference[];
  readonly conditions: readonly Condition[];
  readonly accepted: boolean;
  readonly programmed: boolean;
  readonly resolvedRefs: boolean;
}

export function listenerRecord(view: ListenerView, snapshot: ir.Snapshot | undefined): ListenerRecord {
  const { name, gateway, source, section, addresses, port, protocol, hostname, attachedRoutes, routes, conditions } =
    view;
  return {
    name,
    gateway,
    source,
    section,
    addresses,
    port,
    protocol,
    hostname: hostname ?? null,
    tls: view.tls === undefined ? null : listenerTls(view.tls, secretsOf(view, snapshot)),
    attachedRoutes,
    routes,
    conditions,
    accepted: isTrue(conditions, 'Accepted'),
    programmed: isTrue(conditions, 'Programmed'),
    resolvedRefs: isTrue(conditions, 'ResolvedRefs'),
  };
}

type FindSecret = (key: string) => ir.Secret | undefined;

function secretsOf({ fleet }: ListenerView, snapshot: ir.Snapshot | undefined): FindSecret {
  const secrets = snapshot?.gateways.get(fleet)?.secrets;
  return (key) => secrets?.get(key);
}

const listenerTls = (
  { mode, certificates, frontendValidation }: NonNullable<ListenerView['tls']>,
  find: FindSecret,
): ListenerTls => ({
  mode,
  certificates: certificates.map((reference) => certificateOf(reference, find)),
  frontendValidation: frontendValidation ?? null,
});

function certificateOf({ namespace, name }: ObjectReference, find: FindSecret): ListenerCertificate {
  const secret = find(objectKey(namespace, name));
  const facts = secret === undefined ? undefined : certificateFacts(secret);
  return { namespace, name, ...(facts ?? noFacts) };
}

const noFacts = { subject: null, sans: null, issuer: null, notBefore: null, notAfter: null, fingerprint: null };

/** Listeners with this full name; failing that, with this section name. The full name is also understood with slashes. */
export function findListeners(views: Iterable<ListenerView>, name: string): ListenerView[] {
  const all = [...views];
  const dotted = name.replaceAll('/', '.');
  const exact = all.filter((view) => view.name === dotted);
  return exact.length > 0 ? exact : all.filter((view) => view.section === name);
}
