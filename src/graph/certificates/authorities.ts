import { X509Certificate } from 'node:crypto';
import type { ObjectByKind } from '../../gateway-api/index.ts';
import { type StoredObjects, ungranted } from '../engine/index.ts';
import type { ConditionFault } from '../model/index.ts';
import { certificateBlocks, largestBundle } from './pem.ts';

/** A reference to certificates that are trusted; the namespace is resolved. */
export interface AuthorityRef {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

const bundleGroup = 'certificates.k8s.io';

const isBundle = ({ group, kind }: Pick<AuthorityRef, 'group' | 'kind'>): boolean =>
  group === bundleGroup && kind === 'ClusterTrustBundle';

/** What a reference is indexed by: `NAMESPACE/NAME`, or bundleKey of a ClusterTrustBundle, which is in no namespace. */
export const authorityKey = (ref: AuthorityRef): string =>
  isBundle(ref) ? bundleKey(ref.name) : `${ref.namespace}/${ref.name}`;

export const bundleKey = (name: string): string => `ClusterTrustBundle ${name}`;

/** Certificates of authorities in PEM. */
export interface AuthorityBundle {
  readonly pem: string;
  /** The one of them that ends first, in PEM. */
  readonly endsFirst: string;
}

/** Certificates of authorities, or why a reference gives none. */
export type Authorities = AuthorityBundle | { readonly fault: ConditionFault };

/** The referring object, for ReferenceGrants, and the Gateway API's reason for a kind that is not available. */
export interface AuthorityUser {
  readonly kind: string;
  readonly namespace: string;
  readonly wrongKind: string;
}

/**
 * Follows a reference to a ConfigMap with authorities in `ca.crt`, or to a ClusterTrustBundle. Source:
 * FrontendTLSValidation, BackendTLSPolicyValidation.
 */
function resolveAuthorities(
  { group, kind, namespace, name }: AuthorityRef,
  user: AuthorityUser,
  store: StoredObjects,
): Authorities {
  const fault = (reason: string, message: string): Authorities => ({ fault: { reason, message } });
  if (isBundle({ group, kind })) return resolveBundle(name, store);
  if (group !== '' || kind !== 'ConfigMap') {
    const message = `caCertificateRefs names a ${group ? `${group}/` : ''}${kind} ${name}: only core ConfigMaps and ClusterTrustBundles of ${bundleGroup} are supported`;
    return fault(user.wrongKind, message);
  }
  const from = { group: 'gateway.networking.k8s.io', kind: user.kind, namespace: user.namespace };
  if (!store.allows({ from, to: { group: '', kind: 'ConfigMap', namespace, name } })) {
    const message = ungranted({ kind: 'ConfigMap', namespace, name, user }, store);
    return fault('RefNotPermitted', message);
  }
  const object = store.find('ConfigMap', `${namespace}/${name}`);
  if (!object) return fault('InvalidCACertificateRef', `ConfigMap ${namespace}/${name} does not exist`);
  const checked = checkedConfigMap(object);
  return 'pem' in checked ? checked : fault('InvalidCACertificateRef', checked.fault);
}

function resolveBundle(name: string, store: StoredObjects): Authorities {
  const fault = (message: string): Authorities => ({ fault: { reason: 'InvalidCACertificateRef', message } });
  const object = store.find('ClusterTrustBundle', name);
  if (!object) return fault(`ClusterTrustBundle ${name} does not exist`);
  const checked = checkedBundle(object);
  return 'pem' in checked ? checked : fault(checked.fault);
}

type Check = AuthorityBundle | { readonly fault: string };

const checkedConfigMap = (object: ObjectByKind['ConfigMap']): Check =>
  checkAuthorities(object, () => checkConfigMap(object));

const checkedBundle = (object: ObjectByKind['ClusterTrustBundle']): Check =>
  checkAuthorities(object, () =>
    checkPem(object.spec.trustBundle, `spec.trustBundle of ClusterTrustBundle ${object.metadata.name}`),
  );

/** Kinds whose objects hold authorities. */
export const authorityHolders = ['ConfigMap', 'ClusterTrustBundle'] as const;

/** What such an object holds; undefined when it cannot be used. The same as long as the object is. */
export function bundleIn(
  kind: (typeof authorityHolders)[number],
  object: ObjectByKind[typeof kind],
): AuthorityBundle | undefined {
  const checked =
    kind === 'ConfigMap'
      ? checkedConfigMap(object as ObjectByKind['ConfigMap'])
      : checkedBundle(object as ObjectByKind['ClusterTrustBundle']);
  return 'pem' in checked ? checked : undefined;
}

const known = new WeakMap<object, Check>();

/** Parsed once per stored object: Envoy would reject what it cannot read, and all that goes with it. */
function checkAuthorities(object: object, check: () => Check): Check {
  const before = known.get(object);
  if (before) return before;
  const result = check();
  known.set(object, result);
  return result;
}

function checkConfigMap({ metadata, data = {} }: ObjectByKind['ConfigMap']): Check {
  const where = `ConfigMap ${metadata.namespace}/${metadata.name}`;
  const text = data['ca.crt'];
  if (!text) return { fault: `${where} has no ca.crt: it must hold the authorities' certificates in PEM` };
  return checkPem(text, `ca.crt of ${where}`);
}

function checkPem(text: string, what: string): Check {
  const blocks = certificateBlocks(text, largestBundle);
  if (blocks.length > largestBundle)
    return { fault: `${what} has more than ${largestBundle} certificates: leave out those that nothing is checked by` };
  const ends = blocks.map(endOf);
  const first = blocks[ends.indexOf(Math.min(...ends))];
  // Math.min of anything with NaN is NaN, which is nowhere.
  if (first === undefined) return { fault: `${what} is not a PEM certificate` };
  return { pem: `${blocks.join('\n')}\n`, endsFirst: first };
}

/** When a certificate ends, in ms; NaN when it cannot be read. One without a readable end counts as one that never ends. */
function endOf(pem: string): number {
  try {
    const end = new X509Certificate(pem).validToDate.getTime();
    return Number.isNaN(end) ? Number.POSITIVE_INFINITY : end;
  } catch {
    return Number.NaN;
  }
}

/** Several references as one: whatever can be trusted, and what is wrong with the rest. */
export function gatherAuthorities(
  refs: readonly AuthorityRef[],
  user: AuthorityUser,
  store: StoredObjects,
): { readonly pem?: string; readonly faults: readonly ConditionFault[] } {
  const found = refs.map((ref) => resolveAuthorities(ref, user, store));
  const pem = [...new Set(found.flatMap((entry) => ('pem' in entry ? [entry.pem] : [])))].join('');
  return { ...(pem && { pem }), faults: found.flatMap((entry) => ('fault' in entry ? [entry.fault] : [])) };
}
