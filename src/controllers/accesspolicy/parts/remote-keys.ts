import { objectKey } from '../../../gateway-api/index.ts';
import { forbiddenHost, resolveBackend } from '../../../graph/backends/index.ts';
import { type AuthorityRef, authorityKey, gatherAuthorities } from '../../../graph/certificates/index.ts';
import type { Store, StoredObjects } from '../../../graph/engine/index.ts';
import { backendKey, type ConditionFault, combineFaults } from '../../../graph/model/index.ts';
import {
  describePlace,
  type KeptKeys,
  type KeysPlace,
  keysName,
  type RemoteKeys,
  readKept,
} from '../../../key-sets/index.ts';
import { parseDurationMs } from '../../../std/index.ts';
import { namespaceOf, type Policy, type Spec } from './part.ts';

type ProviderSpec = NonNullable<Spec['jwt']>['providers'][number];
type JwksSpec = ProviderSpec['jwks'];
type CertificateRefs = JwksSpec['caCertificateRefs'];

/** Where keys are fetched that a policy does not have itself. */
export function remoteKeysOf({ issuer, jwks }: ProviderSpec, policy: Policy): RemoteKeys | undefined {
  const place = placeOf(jwks, issuer, namespaceOf(policy));
  if (!place) return undefined;
  const freshMs = parseDurationMs(jwks.cacheDuration ?? '');
  const authorities = authorityKeys(jwks.caCertificateRefs, policy);
  return { place, authorities, ...(freshMs !== undefined && { freshMs }) };
}

/** The discovery document of the issuer that browsers log in at. */
export function remoteDiscoveryOf(policy: Policy): RemoteKeys | undefined {
  const { issuer, caCertificateRefs } = policy.spec.oidc ?? {};
  if (issuer === undefined) return undefined;
  return { place: { kind: 'discovery', issuer }, authorities: authorityKeys(caCertificateRefs, policy) };
}

/** As authorityKey makes them, sorted. */
export const authorityKeys = (refs: CertificateRefs, policy: Policy): string[] =>
  [...new Set(authoritiesOf(refs, policy).map(authorityKey))].sort();

function placeOf(
  { url, discovery, backendRef }: JwksSpec,
  issuer: string | undefined,
  own: string,
): KeysPlace | undefined {
  if (url !== undefined) return { kind: 'url', url };
  if (discovery && issuer !== undefined) return { kind: 'discovery', issuer };
  if (!backendRef) return undefined;
  const { name, namespace = own, port, path } = backendRef;
  return {
    kind: 'service',
    backend: backendKey(namespace, name, port, { transport: 'TCP' }),
    host: `${name}.${namespace}`,
    path,
  };
}

const authoritiesOf = (refs: CertificateRefs = [], policy: Policy): AuthorityRef[] =>
  refs.map(({ group = '', kind = 'ConfigMap', name }) => ({
    group,
    kind,
    name,
    namespace: namespaceOf(policy),
  }));

/** All that a policy has fetched, each with the authorities in PEM that its servers are checked by. Undefined authorities: those of the system. */
export const fetchedKeysOf = (policy: Policy): RemoteKeys[] => [
  ...(policy.spec.jwt?.providers ?? []).flatMap((provider) => remoteKeysOf(provider, policy) ?? []),
  ...[remoteDiscoveryOf(policy)].flatMap((remote) => remote ?? []),
];

/** What keys that are fetched come to. */
export interface FetchedKeys {
  readonly keys?: string;
  /** Why there are none, or why they may be old. */
  readonly referenceFault?: ConditionFault;
  readonly fault?: string;
  /** They may come without anything being changed. */
  readonly isUnavailable?: true;
  readonly backends?: readonly string[];
}

/** What of them is kept, if the policy may have them at all. */
export function resolveRemoteKeys(
  {
    remote,
    provider,
    policy,
  }: { readonly remote: RemoteKeys; readonly provider: ProviderSpec; readonly policy: Policy },
  store: Store,
): FetchedKeys {
  const found = { ...keysServerFault(remote, provider, policy, store), ...backendOf(provider, policy, store) };
  if (found.fault !== undefined || found.referenceFault) return found;
  const { keys, failure, fetchedAt } = keptKeysOf(remote, store) ?? {};
  const what = describePlace(remote);
  if (keys === undefined) return { ...found, isUnavailable: true, referenceFault: notFetched(what, failure) };
  if (!failure) return { ...found, keys };
  const message = `${what} gives no keys since ${failure.since}: ${failure.message}; those of ${fetchedAt ?? 'before'} stay in force`;
  return { ...found, keys, referenceFault: { reason: 'KeysStale', message } };
}

/** What is kept of keys that are fetched; undefined: nothing yet. */
export const keptKeysOf = (remote: RemoteKeys, store: StoredObjects): KeptKeys | undefined =>
  readKept(store.find('ConfigMap', objectKey(ownNamespace(store), keysName(remote))));

/** Where the control plane keeps what is its own. Default: as an install has it. */
export const ownNamespace = ({ scope }: StoredObjects): string => scope.own ?? 'gatewright-system';

export const notFetched = (what: string, failure: KeptKeys['failure']): ConditionFault =>
  failure
    ? { reason: failure.reason, message: `${what} gives no keys since ${failure.since}: ${failure.message}` }
    : { reason: 'KeysNotFetched', message: `keys of ${what} have not been fetched yet` };

function keysServerFault(
  { place }: RemoteKeys,
  { name, jwks }: ProviderSpec,
  policy: Policy,
  store: Store,
): FetchedKeys {
  const text = place.kind === 'url' ? place.url : place.kind === 'discovery' ? place.issuer : undefined;
  if (text === undefined) return {};
  const field = `jwt.providers ${name}: ${place.kind === 'url' ? 'jwks.url' : 'issuer'}`;
  const wrong = serverFault({ field, text }, policy, store);
  if (wrong.fault !== undefined || wrong.referenceFault) return wrong;
  const authorities = authoritiesFound(jwks.caCertificateRefs, policy, store);
  return 'fault' in authorities ? { referenceFault: authorities.fault } : {};
}

/** Why a server may not be asked that a user wrote as a URL. */
export function serverFault(
  { field, text }: { readonly field: string; readonly text: string },
  policy: Policy,
  store: StoredObjects,
): Pick<FetchedKeys, 'fault' | 'referenceFault'> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') return { fault: `${field} is no https URL` };
  if (url.username !== '' || url.password !== '') return { fault: `${field} has credentials in it: leave them out` };
  const forbidden = forbiddenHost(policy, { field, host: url.hostname }, store);
  return forbidden ? { referenceFault: forbidden } : {};
}

/** What servers are checked by, in PEM. Undefined: by the authorities of the system. */
export function authoritiesFound(
  refs: CertificateRefs,
  policy: Policy,
  store: StoredObjects,
): { readonly pem?: string | undefined } | { readonly fault: ConditionFault } {
  const user = { kind: 'AccessPolicy', namespace: namespaceOf(policy), wrongKind: 'InvalidKind' };
  const { pem, faults } = gatherAuthorities(authoritiesOf(refs, policy), user, store);
  const fault = pem === undefined ? combineFaults(faults) : undefined;
  return fault ? { fault } : { pem };
}

function backendOf({ jwks: { backendRef } }: ProviderSpec, policy: Policy, store: Store): FetchedKeys {
  if (!backendRef) return {};
  const { name, namespace, port } = backendRef;
  const user = { group: 'gatewright.dev', kind: 'AccessPolicy', namespace: namespaceOf(policy) };
  const target = resolveBackend({ name, port, ...(namespace !== undefined && { namespace }) }, user, store);
  return 'fault' in target ? { referenceFault: target.fault } : { backends: [target.key] };
}
