import { isIPv6 } from 'node:net';
import { forbiddenHost, resolveBackend } from '../../../graph/backends/index.ts';
import type { StoredObjects } from '../../../graph/engine/index.ts';
import { backendKey, type ConditionFault } from '../../../graph/model/index.ts';
import type * as ir from '../../../ir/index.ts';
import { describePlace } from '../../../key-sets/index.ts';
import { withoutBrackets } from '../../../std/index.ts';
import type { Found } from './login-secrets.ts';
import { namespaceOf, type PartDeps, type Policy, type Spec } from './part.ts';
import { authoritiesFound, keptKeysOf, notFetched, remoteDiscoveryOf, serverFault } from './remote-keys.ts';

type OidcSpec = NonNullable<Spec['oidc']>;

export interface FoundEndpoints extends Found<ir.Oidc['endpoints']> {
  readonly fault?: string;
}

/** Where a provider is asked: as its document says, or as the policy does. */
export function endpointsOf(spec: OidcSpec, policy: Policy, store: StoredObjects): FoundEndpoints {
  const remote = remoteDiscoveryOf(policy);
  if (!remote || spec.issuer === undefined) return writtenEndpoints(spec, policy, store);
  const wrong = serverFault({ field: 'oidc.issuer', text: spec.issuer }, policy, store);
  if (wrong.fault !== undefined || wrong.referenceFault) return wrong;
  const { discovered, failure, fetchedAt } = keptKeysOf(remote, store) ?? {};
  const what = describePlace(remote);
  if (!discovered) return { isLate: true, referenceFault: notFetched(what, failure) };
  const { authorization, token, endSession } = discovered;
  if (authorization === undefined || token === undefined) {
    const message = `${what} names no authorization_endpoint and token_endpoint with https`;
    return { isLate: true, referenceFault: { reason: 'DiscoveryFailed', message } };
  }
  const value = { authorization, token, ...(endSession !== undefined && { endSession }) };
  if (!failure) return { value };
  const message = `${what} gives nothing since ${failure.since}: ${failure.message}; what it said at ${fetchedAt ?? 'first'} stays in force`;
  return { value, referenceFault: { reason: 'KeysStale', message } };
}

function writtenEndpoints({ endpoints }: OidcSpec, policy: Policy, store: StoredObjects): FoundEndpoints {
  if (!endpoints) return { fault: 'oidc: set issuer, or endpoints' };
  const faults = Object.entries(endpoints).flatMap(([name, text]) => {
    const { fault } = serverFault({ field: `oidc.endpoints.${name}`, text }, policy, store);
    return fault ?? [];
  });
  return faults[0] === undefined ? { value: endpoints } : { fault: faults[0] };
}

const httpsPort = 443;

/** Key of the backend that a policy has for its logins. */
export function loginBackendKey(policy: Policy, { token }: ir.Oidc['endpoints']): string {
  const { port } = new URL(token);
  return backendKey(namespaceOf(policy), policy.metadata.name, Number(port) || httpsPort, { source: 'login' });
}

/** Key of the backend that proxies ask for tokens: a Service that the policy names, else the host of the token endpoint. */
export function tokenServerOf(spec: OidcSpec, endpoints: FoundEndpoints, deps: PartDeps): Found<string> {
  const { policy, store, clientCertificate } = deps;
  if (spec.backendRef) {
    const { name, namespace, port } = spec.backendRef;
    const variant = { ...(clientCertificate && { clientCertificate }) };
    const user = { group: 'gatewright.dev', kind: 'AccessPolicy', namespace: namespaceOf(policy), variant };
    const target = resolveBackend({ name, port, ...(namespace !== undefined && { namespace }) }, user, store);
    return 'fault' in target ? { referenceFault: target.fault } : { value: target.key };
  }
  const host = tokenHostOf(spec, endpoints, policy, store);
  const key = host.value && endpoints.value && loginBackendKey(policy, endpoints.value);
  return { ...host, ...(key === undefined ? {} : { value: key }) };
}

/** The host of the token endpoint, where proxies may ask it. */
function tokenHostOf(
  { caCertificateRefs }: OidcSpec,
  { value: endpoints }: FoundEndpoints,
  policy: Policy,
  store: StoredObjects,
): Found<string> & { readonly authorities?: string } {
  const trust = authoritiesFound(caCertificateRefs, policy, store);
  if ('fault' in trust) return { referenceFault: trust.fault };
  if (!endpoints) return { isLate: true };
  const { hostname } = new URL(endpoints.token);
  const forbidden = forbiddenHost(policy, { field: 'the host of the token endpoint', host: hostname }, store);
  if (forbidden) return { referenceFault: forbidden };
  const value = withoutBrackets(hostname);
  const closed = closedAddress(value, store);
  if (closed) return { referenceFault: closed };
  return { value, ...(trust.pem !== undefined && { authorities: trust.pem }) };
}

/**
 * Addresses go through the proxies' resolver, which leaves out those of their own machine. Envoy asks it for no address of IPv6, so these are for
 * operators to open.
 */
function closedAddress(host: string, { hosts: { addresses } }: StoredObjects): ConditionFault | undefined {
  if (!isIPv6(host) || addresses.allows(host)) return undefined;
  const message = `the host of the token endpoint is the IPv6 address ${host}, which proxies ask only if backends.allowedAddresses has it: use a name, or backendRef`;
  return { reason: 'HostnameNotAllowed', message };
}

/** What a policy's own backend for its logins is now, without its secrets. Undefined: there is none, or another. */
export function loginBackendOf(key: string, policy: Policy, store: StoredObjects): ir.Backend | undefined {
  const spec = policy.spec.oidc;
  const { value: endpoints } = spec ? endpointsOf(spec, policy, store) : {};
  if (!spec || !endpoints || loginBackendKey(policy, endpoints) !== key) return undefined;
  const url = new URL(endpoints.token);
  const common = {
    key,
    kind: 'AccessPolicy' as const,
    namespace: namespaceOf(policy),
    service: policy.metadata.name,
    port: Number(url.port) || httpsPort,
    protocol: 'http1' as const,
  };
  // A Service is asked in its place, or nothing may be.
  const { value: hostname, authorities } = spec.backendRef
    ? {}
    : tokenHostOf(spec, { value: endpoints }, policy, store);
  if (hostname === undefined) return common;
  const { allowed } = store.hosts.addresses;
  return {
    ...common,
    tls: {
      serverName: hostname,
      names: [{ kind: 'dns', value: hostname }],
      ...(authorities !== undefined && { authorities }),
    },
    hostname,
    ...(allowed.length > 0 && { allowedAddresses: allowed }),
  };
}

/** Keys that a policy's backend for its logins may have now. */
export function loginBackendKeysOf(policy: Policy, store: StoredObjects): string[] {
  const { oidc } = policy.spec;
  const { value } = oidc ? endpointsOf(oidc, policy, store) : {};
  return value ? [loginBackendKey(policy, value)] : [];
}
