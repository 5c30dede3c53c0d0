import { type Condition, keyOf, type ObjectByKind, type PolicyStatus } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { ancestorStatus } from './ancestors.ts';
import { gatherAuthorities } from './certificates/authorities.ts';
import type { Store } from './engine/store.ts';
import { compareAge } from './model/compare-age.ts';
import { combineFaults, conditionOf, type Fault } from './model/condition.ts';
import type { PolicyIndex } from './policy-index.ts';

type Policy = ObjectByKind['BackendTLSPolicy'];
type Validation = Policy['spec']['validation'];

/** TLS as a policy wants it; without `tls` no connection may be made at all. */
export interface SettledTls {
  readonly tls?: Omit<ir.BackendTls, 'clientCertificate' | 'ownCertificate'>;
  readonly acceptFault?: Fault;
  readonly referenceFault?: Fault;
}

/** A policy's wish with its references followed. Source: BackendTLSPolicy.spec.validation. */
export const settleTls = ({ metadata, spec }: Policy, store: Store): SettledTls =>
  settleValidation(spec.validation, { kind: 'BackendTLSPolicy', namespace: metadata.namespace ?? '' }, store);

/** How a certificate is checked; policies and XBackends say it in the same words. `owner` is who says it. */
export function settleValidation(
  { hostname, subjectAltNames = [], caCertificateRefs = [], wellKnownCACertificates }: Validation,
  { kind, namespace }: { readonly kind: string; readonly namespace: string },
  store: Store,
): SettledTls {
  const names = subjectAltNames.map(
    ({ type, hostname: host = '', uri = '' }): ir.SubjectName =>
      type === 'URI' ? { kind: 'uri', value: uri } : { kind: 'dns', value: host },
  );
  const tls = { serverName: hostname, names: names.length > 0 ? names : [{ kind: 'dns' as const, value: hostname }] };
  if (caCertificateRefs.length === 0) {
    if (wellKnownCACertificates === 'System') return { tls };
    const message = `wellKnownCACertificates ${wellKnownCACertificates} is not known: use System, or name authorities in caCertificateRefs`;
    return { acceptFault: { reason: 'Invalid', message } };
  }
  const refs = caCertificateRefs.map((ref) => ({ ...ref, namespace }));
  const user = { kind, namespace, wrongKind: 'InvalidKind' };
  const { pem, faults } = gatherAuthorities(refs, user, store);
  const referenceFault = combineFaults(faults);
  if (pem !== undefined) return { tls: { ...tls, authorities: pem }, ...(referenceFault && { referenceFault }) };
  const message = `backends cannot be checked, so requests to them are answered 503: ${referenceFault?.message}`;
  return { acceptFault: { reason: 'NoValidCACertificate', message }, ...(referenceFault && { referenceFault }) };
}

/** `NAMESPACE/NAME` of the Services a policy is for. */
export const servicesOf = ({ metadata, spec }: Policy): string[] => [
  ...new Set(spec.targetRefs.filter(isService).map(({ name }) => `${metadata.namespace}/${name}`)),
];

const isService = ({ group, kind }: Policy['spec']['targetRefs'][number]): boolean =>
  group === '' && kind === 'Service';

/** The policy that rules a section of a Service (undefined: the whole of it), of those that are for exactly that. */
function rulerOf(
  service: string,
  section: string | undefined,
  policies: PolicyIndex,
  store: Store,
): Policy | undefined {
  const [first] = policiesOf(service, policies, store)
    .filter((policy) =>
      policy.spec.targetRefs.some((ref) => targets(policy, ref, service) && ref.sectionName === section),
    )
    .sort(compareAge);
  return first;
}

const targets = (policy: Policy, ref: Policy['spec']['targetRefs'][number], service: string): boolean =>
  isService(ref) && `${policy.metadata.namespace}/${ref.name}` === service;

const policiesOf = (service: string, policies: PolicyIndex, store: Store): Policy[] =>
  [...policies.byService.sourcesOf(service)].flatMap((key) => store.find('BackendTLSPolicy', key) ?? []);

/** The policy for one port of a Service: one for the port itself beats one for the Service. */
export function policyOf(
  service: string,
  port: { readonly name?: string },
  policies: PolicyIndex,
  store: Store,
): Policy | undefined {
  const own = port.name ? rulerOf(service, port.name, policies, store) : undefined;
  return own ?? rulerOf(service, undefined, policies, store);
}

/** The status we wish a policy to have, for the Gateways (by key) that send requests to its Services. */
export function policyStatus(
  policy: Policy,
  gateways: Iterable<string>,
  controllerName: string,
  policies: PolicyIndex,
  store: Store,
): PolicyStatus {
  const generation = policy.metadata.generation ?? 0;
  const { acceptFault, referenceFault } = settleTls(policy, store);
  const fault = targetFault(policy, policies, store) ?? acceptFault;
  const conditions: Condition[] = [
    conditionOf('Accepted', generation, fault),
    conditionOf('ResolvedRefs', generation, referenceFault),
  ];
  return ancestorStatus('BackendTLSPolicy', gateways, controllerName, conditions);
}

/** A target that is not there, or that another policy has already. */
function targetFault(policy: Policy, policies: PolicyIndex, store: Store): Fault | undefined {
  const faults = policy.spec.targetRefs.map((ref): Fault | undefined => {
    const { kind, name, sectionName } = ref;
    if (!isService(ref))
      return { reason: 'TargetNotFound', message: `targetRef ${name} is a ${kind}: only Services are supported` };
    const key = `${policy.metadata.namespace}/${name}`;
    const ports = store.find('Service', key)?.spec.ports ?? [];
    if (sectionName && !ports.some((port) => port.name === sectionName)) {
      const has = ports.flatMap((port) => port.name ?? []).join(', ') || 'none';
      return { reason: 'TargetNotFound', message: `Service ${key} has no port named ${sectionName}: it has ${has}` };
    }
    const ruler = rulerOf(key, sectionName, policies, store);
    if (!ruler || keyOf(ruler) === keyOf(policy)) return undefined;
    const what = sectionName ? `port ${sectionName} of Service ${key}` : `Service ${key}`;
    return {
      reason: 'Conflicted',
      message: `${what} has the older BackendTLSPolicy ${keyOf(ruler)} already: change or remove one of them`,
    };
  });
  return combineFaults(faults.flatMap((fault) => fault ?? []));
}
