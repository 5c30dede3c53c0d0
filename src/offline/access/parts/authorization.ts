import * as ir from '../../../ir/index.ts';
import { networkOf } from '../networks.ts';
import type { Claims, Presented } from '../presented.ts';
import { matchesPath, matchesText } from '../text-match.ts';
import { denies, passes, unknown, type Verdict } from '../verdict.ts';
import { holdsExpression } from './cel.ts';
import { fittingName } from './client-certificates.ts';

/** `unknown`: the client's address would decide it, or where that is. */
type Holds = boolean | 'unknown';

export function judgeAuthorization(demanded: ir.Authorization, request: Presented): Verdict {
  const { default: otherwise, rules } = demanded;
  if (ir.looksAtPaths(demanded) && matchesPath(ir.ambiguousPath, request.path))
    return denies(
      403,
      'rules look at paths, and servers read this one in several ways: a segment of dots has parameters',
    );
  const judged = rules.map((rule) => ({
    ...rule,
    holds: anyOf(
      rule.when.map((when) => holds(when, rule.action, request)),
      true,
    ),
  }));
  const denied = judged.find(({ action, holds }) => action === 'Deny' && holds === true);
  if (denied) return denies(403, `rule ${denied.id} denies it`);
  const isUnsure = judged.some(({ action, holds }) => action === 'Deny' && holds === 'unknown');
  const allowed = judged.find(({ action, holds }) => action === 'Allow' && holds === true);
  const mayBeAllowed = allowed ?? judged.find(({ action, holds }) => action === 'Allow' && holds === 'unknown');
  if (isUnsure || (!allowed && mayBeAllowed && otherwise === 'Deny'))
    return unknown(
      "a rule compares the client's address, which was not said, or where it is, which proxies alone know",
    );
  if (allowed) return passes(`rule ${allowed.id} allows it`);
  return otherwise === 'Allow'
    ? passes('no rule denies it, and the default is Allow')
    : denies(403, `${rules.length === 0 ? 'there is no rule' : 'no rule allows it'}, and the default is Deny`);
}

function holds(condition: ir.AccessCondition, action: 'Allow' | 'Deny', request: Presented): Holds {
  const { methods, paths, headers = [], clientIPs, clientLocations, clientCertificates, jwt, cel, not } = condition;
  const compared = (path: ir.PathMatch) => (ir.deniesByPath(action, condition) ? ir.withPathParameters(path) : path);
  const all = allOf([
    ...(methods ? [methods.includes(request.method)] : []),
    ...(paths ? [paths.some((path) => matchesPath(compared(path), request.path))] : []),
    ...headers.map(({ name, values }) => hasHeader(name, values, request)),
    ...(clientIPs ? [isFrom(clientIPs, request)] : []),
    // Which databases a proxy has is not known here.
    ...(clientLocations ? ['unknown' as const] : []),
    ...(clientCertificates ? [fittingName(clientCertificates, request.certificate) !== undefined] : []),
    ...(jwt ? [hasClaims(jwt, request)] : []),
    ...(cel ? [holdsExpression(cel, request)] : []),
  ]);
  return not && all !== 'unknown' ? !all : all;
}

/** Several headers of one name are one value, with commas. */
function hasHeader(name: string, values: readonly ir.ValueMatch[], request: Presented): boolean {
  const sent = request.header(name);
  return sent.length > 0 && values.some((value) => matchesText(value, sent.join(',')));
}

const isFrom = (networks: readonly ir.Cidr[], { address }: Presented): Holds =>
  address === undefined ? 'unknown' : networkOf(address, networks) !== undefined;

function hasClaims(
  { provider, scopes, claims: wanted }: NonNullable<ir.AccessCondition['jwt']>,
  { claims }: Presented,
): boolean {
  const found = claims.get(provider);
  if (!found) return false;
  return (
    scopes.every((scope) => hasClaim(found, ['scope'], scope)) &&
    wanted.every(({ path, values }) => values.some((value) => hasClaim(found, path, value)))
  );
}

/** A claim is a text or a list of them. */
function hasClaim(claims: Claims, path: readonly string[], value: string): boolean {
  const claim = path.reduce<unknown>(
    (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    claims,
  );
  return claim === value || (Array.isArray(claim) && claim.includes(value));
}

const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const allOf = (parts: readonly Holds[]): Holds =>
  parts.includes(false) ? false : parts.includes('unknown') ? 'unknown' : true;

/** `whenEmpty`: a rule without conditions is for every request. */
const anyOf = (parts: readonly Holds[], whenEmpty: boolean): Holds =>
  parts.length === 0 ? whenEmpty : parts.includes(true) ? true : parts.includes('unknown') ? 'unknown' : false;
