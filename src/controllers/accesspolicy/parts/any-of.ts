import type * as ir from '../../../ir/index.ts';
import { resolveApiKeys } from './api-keys.ts';
import { resolveBasicAuth } from './basic-auth.ts';
import { resolveClientCertificates } from './client-certificates.ts';
import { resolveClientIPs } from './client-ips.ts';
import { resolveJwt } from './jwt.ts';
import { invalid, type PartDeps, type ResolvedPart, type Spec } from './part.ts';

/** Of which one is enough, beside addresses. */
const alternatives = ['clientCertificates', 'apiKeys', 'basicAuth', 'jwt'] as const;

/** With `satisfy: Any` it is no part of its own. */
export const isAlternative = (part: ir.AccessPart): boolean => alternatives.some((name) => name === part);

/** What is missing of one of them closes all: the client that needs it would otherwise be asked for another credential. */
export function resolveAnyOf(deps: PartDeps): ResolvedPart<ir.AnyOf> {
  const { clientIPs, clientCertificates, apiKeys, basicAuth, jwt } = deps.policy.spec;
  const found = {
    ...(clientIPs?.allow && { clientIPs: resolveClientIPs(clientIPs, deps) }),
    ...(clientCertificates && { clientCertificates: resolveClientCertificates(clientCertificates) }),
    ...(apiKeys && { apiKeys: resolveApiKeys(apiKeys, deps) }),
    ...(basicAuth && { basicAuth: resolveBasicAuth(basicAuth, deps) }),
    ...(jwt && { jwt: resolveJwt(jwt, deps) }),
  };
  const all: ResolvedPart[] = Object.values(found);
  const faults = [...all.flatMap((part) => part.faults ?? []), ...faultsOf(deps.policy.spec, all.length).map(invalid)];
  const common = {
    faults,
    referenceFaults: all.flatMap((part) => part.referenceFaults ?? []),
    backends: all.flatMap((part) => part.backends ?? []),
  };
  const missing = all.filter(({ value }) => !value);
  if (faults.length > 0 || missing.length > 0) {
    const isUnavailable = faults.length === 0 && missing.every((part) => part.isUnavailable);
    return { ...common, ...(isUnavailable && { isUnavailable }) };
  }
  const { clientIPs: addresses, ...credentials } = found;
  const values = Object.entries(credentials).map(([name, { value }]) => [name, value]);
  return {
    ...common,
    value: { ...(addresses?.value && { allow: addresses.value.allow ?? [] }), ...Object.fromEntries(values) },
  };
}

function faultsOf({ apiKeys, jwt, overridable = [] }: Spec, count: number): string[] {
  const listed = overridable.find(isAlternative);
  const shared = sharedSource(apiKeys, jwt);
  return [
    ...(count < 2
      ? [
          'satisfy: Any wants two or more of clientIPs.allow, clientCertificates, apiKeys, basicAuth and jwt, of which one is enough',
        ]
      : []),
    ...(jwt?.optional ? ['jwt.optional would let everyone in with satisfy: Any: remove it'] : []),
    ...(shared === undefined
      ? []
      : [`apiKeys.from and jwt have the same ${shared}, which does not say what it holds: give one of them its own`]),
    ...(listed === undefined ? [] : [`overridable: ${listed} is no part of its own with satisfy: Any: list any`]),
  ];
}

/** A place in which both a key and a token may be, as words of a message. */
function sharedSource(apiKeys: Spec['apiKeys'], jwt: Spec['jwt']): string | undefined {
  if (!apiKeys || !jwt) return undefined;
  const tokens = jwt.providers.flatMap(({ from }) =>
    from
      ? [
          ...(from.headers ?? []).map(({ name }) => `header ${name.toLowerCase()}`),
          ...(from.cookies ?? []).map((name) => `cookie ${name}`),
          ...(from.queryParams ?? []).map((name) => `query parameter ${name}`),
        ]
      : ['header authorization'],
  );
  const keys = apiKeys.from.map(({ header, cookie, query = '' }) => {
    if (header !== undefined) return `header ${header.toLowerCase()}`;
    return cookie === undefined ? `query parameter ${query}` : `cookie ${cookie}`;
  });
  return keys.find((key) => tokens.includes(key));
}
