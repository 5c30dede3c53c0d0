import { areNames, isHeld } from './model-certificates.ts';
import { holdsExpression, isExpression } from './model-expressions.ts';
import { isPath } from './model-paths.ts';
import { isIn, isNetwork } from './networks.ts';
import type { Facts } from './request-facts.ts';
import type { Policy } from './world.ts';

/** Claims of verified tokens, by NAMESPACE/POLICY/PROVIDER. */
export type Verified = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

type Authorization = NonNullable<Policy['spec']['authorization']>;
type Rule = NonNullable<Authorization['rules']>[number];
type When = NonNullable<Rule['when']>;

interface Deps {
  readonly facts: Facts;
  readonly verified: Verified;
}

/** The statuses by which it is denied; undefined: it goes on. */
export function authorizationVerdict(
  policy: Policy,
  { default: otherwise = 'Deny', rules = [] }: Authorization,
  deps: Deps,
): readonly number[] | undefined {
  if (isInvalidAuthorization(policy)) return [500];
  const matches = (action: 'Allow' | 'Deny') =>
    rules.some((rule) => rule.action === action && isFor(rule, policy, deps));
  if (matches('Deny')) return [403];
  return matches('Allow') || otherwise === 'Allow' ? undefined : [403];
}

/** What our own checks find wrong. */
export function isInvalidAuthorization(policy: Policy): boolean {
  const { default: otherwise = 'Deny', rules = [] } = policy.spec.authorization ?? {};
  return rules.some((rule) => isInvalid(rule, otherwise, policy));
}

const conditionsOf = ({ when, any }: Rule): readonly When[] => any ?? (when ? [when] : []);

const isInvalid = (rule: Rule, otherwise: string, { spec }: Policy): boolean =>
  conditionsOf(rule).some(({ clientIPs = [], clientCertificates, jwt, cel, not }) => {
    if (cel !== undefined && (rule.action === 'Deny' || not === true || !isExpression(cel, spec))) return true;
    if (!clientIPs.every(isNetwork)) return true;
    if (clientCertificates && !areNames(clientCertificates)) return true;
    if (!jwt) return false;
    const isUnknown = !jwt.provider.includes('/') && !spec.jwt?.providers.some(({ name }) => name === jwt.provider);
    return (
      isUnknown ||
      (rule.action === 'Deny' && !not && otherwise === 'Allow') ||
      (rule.action === 'Allow' && not === true)
    );
  });

function isFor(rule: Rule, policy: Policy, deps: Deps): boolean {
  const conditions = conditionsOf(rule);
  return conditions.length === 0 || conditions.some((when) => holds(when, policy, deps) !== (when.not ?? false));
}

function holds(
  { methods, paths, headers = [], clientIPs, clientCertificates, jwt, cel }: When,
  policy: Policy,
  { facts, verified }: Deps,
): boolean {
  const { ask, path, client } = facts;
  if (methods && !methods.includes(ask.method)) return false;
  if (paths && !paths.some((one) => isPath(one, path))) return false;
  if (!headers.every(({ values }) => values.includes(ask.team ?? ''))) return false;
  if (clientIPs && !isIn(client, clientIPs)) return false;
  if (clientCertificates && !isHeld(clientCertificates, ask.certificate)) return false;
  if (cel !== undefined && !holdsExpression(cel, policy, { facts, verified })) return false;
  if (!jwt) return true;
  const id = jwt.provider.includes('/')
    ? jwt.provider
    : `${policy.metadata.namespace ?? 'default'}/${policy.metadata.name}/${jwt.provider}`;
  const claims = verified.get(id);
  if (!claims) return false;
  const scopes = String(claims.scope ?? '').split(' ');
  return (
    (jwt.scopes ?? []).every((scope) => scopes.includes(scope)) &&
    (jwt.claims ?? []).every(({ name, path: nested, values }) => hasOne(claims, nested ?? [name ?? ''], values))
  );
}

function hasOne(
  claims: Readonly<Record<string, unknown>>,
  path: readonly string[],
  values: readonly string[],
): boolean {
  const claim = path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], claims);
  return [claim].flat().some((value) => typeof value === 'string' && values.includes(value));
}
