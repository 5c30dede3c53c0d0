import { type Demand, demandsAboveRoute, demandsOf, hostIn, rejectedAnswer, rejectedOf } from './levels.ts';
import { anyVerdict } from './model-any.ts';
import { authorizationVerdict, type Verified } from './model-authorization.ts';
import { toCall } from './model-calls.ts';
import { jwtVerdict } from './model-jwt.ts';
import { apiKeys, basicAuth, clientCertificates, clientIPs, csrf, forwardAuth, oidc } from './model-parts.ts';
import { letIn } from './model-seen.ts';
import { clientOf, type Facts, hostOf, isTls, pathOf } from './request-facts.ts';
import { isCutUp } from './spoilt.ts';
import type { Ask, World } from './world.ts';

/**
 * What docs/access-policies.md says of a request: the answers that it may get, each a status, and of 200 also the credentials that backends see: see
 * letIn. Written from that page alone. There is more than one where the page leaves it open.
 */
export function verdictsOf(world: World, host: number, ask: Ask): ReadonlySet<string> {
  const verdicts = httpVerdictsOf(world, host, ask);
  return ask.isCall ? new Set([...verdicts].map(toCall)) : verdicts;
}

function httpVerdictsOf(world: World, host: number, ask: Ask): ReadonlySet<string> {
  if (/%2f|%5c/i.test(ask.path)) return new Set(['307']);
  const facts: Facts = {
    ask,
    path: pathOf(ask),
    isTls: isTls(ask),
    client: clientOf(ask),
    authority: hostOf(world, host, ask),
  };
  // It has no route: a GRPCRoute takes only calls.
  if (hostIn(world, host).kind === 'GRPCRoute' && !ask.isCall)
    return verdictsAmong(demandsAboveRoute(world, host, facts), { world, facts, answer: '404' });
  const rejected = rejectedOf(world, host, facts);
  const whole = () => verdictsAmong(demandsOf(world, host, facts), { world, facts });
  if (!rejected) return whole();
  const answer = rejectedAnswer(world, host, facts);
  const closed = verdictsAmong(demandsAboveRoute(world, host, facts), { world, facts, answer });
  // Of a host in several parts, proxies may take those that other rules are in.
  return rejected === 'other' && isCutUp(world, host) ? closed.union(whole()) : closed;
}

/** `answer`: what requests get that are not denied, if no backend gets them. */
function verdictsAmong(
  demands: readonly Demand[],
  { world, facts, answer }: Pick<Deps, 'world' | 'facts'> & { readonly answer?: string },
): Set<string> {
  const verdicts = new Set<string>();
  let paths: readonly Verified[] = [new Map()];
  for (const demand of demands) {
    const next: Verified[] = [];
    for (const verified of paths) {
      for (const outcome of outcomesOf(demand, { world, facts, verified })) {
        if (typeof outcome === 'number') verdicts.add(String(outcome));
        else next.push(outcome);
      }
    }
    paths = next;
  }
  for (const verified of paths) verdicts.add(answer ?? letIn(demands, facts, verified));
  return verdicts;
}

interface Deps {
  readonly world: World;
  readonly facts: Facts;
  readonly verified: Verified;
}

type Spec = Demand['policy']['spec'];

/** A status: denied. Else it goes on, with the claims that are verified by then. */
type Outcome = number | Verified;

function outcomesOf({ part, policy, isClosed }: Demand, deps: Deps): readonly Outcome[] {
  const { spec } = policy;
  const { world, facts, verified } = deps;
  const pass: readonly Outcome[] = [verified];
  if (isClosed) return [500];
  switch (part) {
    case 'clientIPs':
      return clientIPs(demandedIPs(spec), facts) ?? pass;
    case 'clientCertificates':
      return clientCertificates(spec.clientCertificates ?? {}, facts) ?? pass;
    case 'csrf':
      return csrf(spec.csrf ?? {}, facts) ?? pass;
    case 'oidc':
      return spec.oidc ? (oidc(spec.oidc, world, facts) ?? pass) : pass;
    case 'any':
      return anyVerdict(policy, deps);
    case 'apiKeys':
      return spec.apiKeys ? (apiKeys(spec.apiKeys, world, facts) ?? pass) : pass;
    case 'basicAuth':
      return spec.basicAuth ? (basicAuth(spec.basicAuth, world, facts) ?? pass) : pass;
    case 'jwt':
      return spec.jwt ? jwtVerdict(policy, spec.jwt, deps) : pass;
    case 'forwardAuth':
      return spec.forwardAuth ? (forwardAuth(spec.forwardAuth, facts) ?? pass) : pass;
    case 'authorization':
      return authorizationVerdict(policy, spec.authorization ?? {}, deps) ?? pass;
  }
}

/** Where an address is enough, it is not demanded. */
const demandedIPs = ({ satisfy, clientIPs: { allow, deny } = {} }: Spec) => ({
  ...(allow && satisfy !== 'Any' && { allow }),
  ...(deny && { deny }),
});
