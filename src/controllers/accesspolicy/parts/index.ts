/** The parts of a policy: what each comes to in the words of the IR. One file for each. */
import * as ir from '../../../ir/index.ts';
import { isAlternative, resolveAnyOf } from './any-of.ts';
import { resolveApiKeys } from './api-keys.ts';
import { resolveAuthorization } from './authorization.ts';
import { resolveBasicAuth } from './basic-auth.ts';
import { resolveClientCertificates } from './client-certificates.ts';
import { resolveClientIPs } from './client-ips.ts';
import { resolveCors } from './cors.ts';
import { resolveCsrf } from './csrf.ts';
import { resolveForwardAuth } from './forward-auth.ts';
import { resolveJwt } from './jwt.ts';
import { resolveOidc } from './oidc.ts';
import { closesFor, invalid, type PartDeps, type ResolvedPart, type Spec } from './part.ts';

export { hasPathRules, readProvidersOf } from './authorization.ts';
export { loginSecretsOf } from './login-secrets.ts';
export { loginBackendKeysOf, loginBackendOf } from './login-server.ts';
export type { Level, PartDeps, Policy, ResolvedPart } from './part.ts';
export { closesFor, invalid, namespaceOf } from './part.ts';
export { policyOfProvider } from './provider-id.ts';
export { authorityKeys, fetchedKeysOf } from './remote-keys.ts';

type Resolvers = {
  readonly [P in ir.AccessPart]: (deps: PartDeps) => ResolvedPart<NonNullable<ir.Access[P]>> | undefined;
};

/** Resolves what is written under one name. */
const at =
  <N extends keyof Spec, T>(name: N, resolve: (spec: NonNullable<Spec[N]>, deps: PartDeps) => ResolvedPart<T>) =>
  (deps: PartDeps): ResolvedPart<T> | undefined => {
    const spec = deps.policy.spec[name];
    return spec == null ? undefined : resolve(spec, deps);
  };

const resolvers: Resolvers = {
  clientIPs: at('clientIPs', (spec, deps) => resolveClientIPs(alwaysDemanded(spec, deps), deps)),
  clientCertificates: at('clientCertificates', resolveClientCertificates),
  csrf: at('csrf', resolveCsrf),
  oidc: at('oidc', resolveOidc),
  any: resolveAnyOf,
  apiKeys: at('apiKeys', resolveApiKeys),
  basicAuth: at('basicAuth', resolveBasicAuth),
  jwt: at('jwt', resolveJwt),
  forwardAuth: at('forwardAuth', resolveForwardAuth),
  authorization: at('authorization', resolveAuthorization),
};

/** An address that is enough is not demanded. */
const alwaysDemanded = ({ allow, deny }: ClientIPsSpec, { policy }: PartDeps): ClientIPsSpec => ({
  ...(allow && policy.spec.satisfy !== 'Any' && { allow }),
  ...(deny && { deny }),
});

type ClientIPsSpec = NonNullable<Spec['clientIPs']>;

export { resolveCors };

/** A part that policies may have: what they demand, and CORS. */
export type PolicyPart = ir.AccessPart | 'cors';

/** Of several policies of one target, the oldest that has a part is in force with it. */
export const policyParts: readonly PolicyPart[] = [...ir.accessParts, 'cors'];

/** Whether a policy has the part. Of those of which one is enough, `any` is the whole. */
export function demandsPart({ satisfy, ...spec }: Spec, part: PolicyPart): boolean {
  if (part === 'cors') return spec.cors !== undefined;
  if (part === 'any') return satisfy === 'Any';
  if (satisfy === 'Any' && part === 'clientIPs') return spec.clientIPs?.deny !== undefined;
  return spec[part] !== undefined && !(satisfy === 'Any' && isAlternative(part));
}

/** What a part of a policy comes to; undefined when the policy does not demand it. */
export function resolvePart(part: ir.AccessPart, deps: PartDeps): ResolvedPart | undefined {
  if (!demandsPart(deps.policy.spec, part)) return undefined;
  const wrong = closesFor(deps.policy);
  return wrong === undefined ? resolvers[part](deps) : { faults: [invalid(wrong)] };
}
