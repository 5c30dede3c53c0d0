/** The parts of a policy: what each comes to in the words of the IR. One file for each. */
import type * as ir from '../../../ir/index.ts';
import { resolveApiKeys } from './api-keys.ts';
import { resolveAuthorization } from './authorization.ts';
import { resolveBasicAuth } from './basic-auth.ts';
import { resolveClientIPs } from './client-ips.ts';
import { resolveCsrf } from './csrf.ts';
import { resolveForwardAuth } from './forward-auth.ts';
import { resolveJwt } from './jwt.ts';
import type { PartDeps, ResolvedPart, Spec } from './part.ts';

export type { Level, PartDeps, Policy, ResolvedPart } from './part.ts';
export { invalid, namespaceOf } from './part.ts';

type Resolvers = {
  readonly [P in ir.AccessPart]: (
    spec: NonNullable<Spec[P]>,
    deps: PartDeps,
  ) => ResolvedPart<NonNullable<ir.Access[P]>>;
};

const resolvers: Resolvers = {
  clientIPs: resolveClientIPs,
  csrf: resolveCsrf,
  apiKeys: resolveApiKeys,
  basicAuth: resolveBasicAuth,
  jwt: resolveJwt,
  forwardAuth: resolveForwardAuth,
  authorization: resolveAuthorization,
};

/** What a part of a policy comes to; undefined when the policy does not have it. */
export function resolvePart(part: ir.AccessPart, deps: PartDeps): ResolvedPart | undefined {
  const spec = deps.policy.spec[part];
  return spec === undefined ? undefined : (resolvers[part] as Resolver)(spec, deps);
}

type Resolver = (spec: object, deps: PartDeps) => ResolvedPart;
