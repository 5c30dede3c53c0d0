import { isInvalidAuthorization } from './model-authorization.ts';
import { gatewayTarget, listenerTarget, placeOf, routeTarget, setTarget, type TargetRef } from './places.ts';
import { isSpoilt } from './spoilt.ts';
import type { Host, Part, Policy, RouteKind, World } from './world.ts';

/** In the order in which requests meet them. */
export const partNames = [
  'clientIPs',
  'clientCertificates',
  'csrf',
  'oidc',
  'any',
  'apiKeys',
  'basicAuth',
  'jwt',
  'forwardAuth',
  'authorization',
] as const;

export interface Demand {
  readonly part: Part;
  readonly policy: Policy;
  readonly level: string;
  /** Answered 500, whatever it asks for: proxies reject what the level demands, or a login lets requests pass for what another policy took the place of. */
  readonly isClosed: boolean;
}

/** Of which one is enough with `satisfy: Any`, beside addresses. */
const alternatives: readonly Part[] = ['clientCertificates', 'apiKeys', 'basicAuth', 'jwt'];

/** Whether a policy demands the part by itself. */
function isDemanded(part: Part, { satisfy, ...spec }: Policy['spec']): boolean {
  if (part === 'any') return satisfy === 'Any';
  if (satisfy !== 'Any') return spec[part] !== undefined;
  return part === 'clientIPs'
    ? spec.clientIPs?.deny !== undefined
    : !alternatives.includes(part) && spec[part] !== undefined;
}

/** The oldest policy that demands the part. */
const holderOf = (part: Part, policies: readonly Policy[]): Policy | undefined =>
  policies.find(({ spec }) => isDemanded(part, spec));

const letsPass = (policies: readonly Policy[]): boolean =>
  holderOf('oidc', policies)?.spec.oidc?.passThrough !== undefined;

/** Requests that a login lets pass would meet nothing without it. */
const isForPassed = (part: Part): boolean => part === 'jwt' || part === 'any';

/** What says which levels a request meets. */
export interface Met {
  readonly path: string;
  readonly isTls: boolean;
}

interface Level {
  readonly level: string;
  /** Whether lower levels may switch parts off. */
  readonly isAboveRoutes: boolean;
  /** The oldest first. */
  readonly policies: readonly Policy[];
}

/** Everything that a request must meet, in order: part by part, and each first of the Gateway, then of the levels below. */
export const demandsOf = (world: World, host: number, met: Met): readonly Demand[] =>
  demandsAt(levelsOf(world, host, met));

/** The same where proxies reject the host's route, which then neither demands anything nor switches anything off. */
export const demandsAboveRoute = (world: World, host: number, met: Met): readonly Demand[] =>
  demandsAt(levelsOf(world, host, met).filter(({ isAboveRoutes }) => isAboveRoutes));

function demandsAt(levels: readonly Level[]): readonly Demand[] {
  return partNames.flatMap((part) =>
    levels.flatMap(({ level, isAboveRoutes, policies }, index): Demand[] => {
      const policy = holderOf(part, policies);
      if (!policy) return [];
      const lower = levels.slice(index + 1);
      const between = lower.filter((each) => each.isAboveRoutes);
      const isRejected = isAboveRoutes && !isOff('authorization', policies, between) && isRejectedAt(policies);
      if (isAboveRoutes && isOff(part, policies, isRejected ? between : lower)) return [];
      const isLeftOpen = part === 'oidc' && letsPass(policies) && !meetsPassed(policies);
      return [{ part, policy, level, isClosed: isRejected || isLeftOpen }];
    }),
  );
}

/** Whether lower levels switch off what these policies demand. */
function isOff(part: Part, policies: readonly Policy[], lower: readonly Level[]): boolean {
  const all = lower.flatMap((each) => each.policies);
  const isOne = (one: Part): boolean =>
    all.some(({ spec }) => spec.overrides?.includes(one)) &&
    holderOf(one, policies)?.spec.overridable?.includes(one) === true;
  const needsLogin = isForPassed(part) && letsPass(policies);
  return isOne(part) && (!needsLogin || isOne('oidc'));
}

/** Proxies reject what these policies of one target demand together. What our own checks find wrong does not come to them. */
function isRejectedAt(policies: readonly Policy[]): boolean {
  const holder = holderOf('authorization', policies);
  return holder !== undefined && isSpoilt(holder) && !isInvalidAuthorization(holder);
}

/** What proxies reject of a host's route: all that this request meets of it, or rules of it that it does not meet. */
export function rejectedOf(world: World, host: number, { path }: Met): 'met' | 'other' | undefined {
  const { kind, policies } = hostIn(world, host);
  const isRejected = (section?: string): boolean =>
    isRejectedAt(policiesFor(policies, routeTarget(host, kind, section)));
  const rule = ruleOf(kind, path);
  if (isRejected() || (rule !== undefined && isRejected(rule))) return 'met';
  return ruleNames.some((name) => isRejected(name)) ? 'other' : undefined;
}

/** Where proxies reject a route, its rules are closed, or left out if they demand nothing. */
export const rejectedAnswer = (world: World, host: number, met: Met): '404' | '500' =>
  levelsOf(world, host, met).some(({ isAboveRoutes, policies }) => !isAboveRoutes && policies.length > 0)
    ? '500'
    : '404';

const ruleNames = ['one', 'two'] as const;

const ruleOf = (kind: RouteKind, path: string) => ruleNames.find((name) => isForRule[kind](name, path));

/** As objects.ts writes their matches. In a GRPCRoute `two` takes only paths that have a method. */
const isForRule = {
  HTTPRoute: (name: string, path: string) => path === `/${name}` || path.startsWith(`/${name}/`),
  GRPCRoute: (name: string, path: string) =>
    name === 'one' ? isForRule.HTTPRoute(name, path) : path.startsWith(`/${name}/`) && /^\/[^/]+\/[^/]+$/.test(path),
};

export function hostIn({ hosts }: Pick<World, 'hosts'>, host: number): Host {
  const found = hosts[host];
  if (!found) throw new Error(`the world has no host ${host}`);
  return found;
}

function meetsPassed(policies: readonly Policy[]): boolean {
  const jwt = holderOf('jwt', policies)?.spec.jwt;
  return holderOf('any', policies) !== undefined || (jwt !== undefined && !jwt.optional);
}

function levelsOf(world: World, host: number, { path, isTls }: Met): readonly Level[] {
  const { guards } = world;
  const { kind, policies: own } = hostIn(world, host);
  const rule = ruleOf(kind, path);
  const place = placeOf(host);
  const { set } = place;
  const above = (level: string, target: TargetRef): Level => ({
    level,
    isAboveRoutes: true,
    policies: policiesFor(guards, target),
  });
  const below = (level: string, section?: string): Level => ({
    level,
    isAboveRoutes: false,
    policies: policiesFor(own, routeTarget(host, kind, section)),
  });
  return [
    above('gateway', gatewayTarget),
    ...(set === undefined ? [] : [above('listenerSet', setTarget(set))]),
    above('listener', listenerTarget(place, isTls)),
    below('route'),
    ...(rule === undefined ? [] : [below('rule', rule)]),
  ];
}

const policiesFor = (policies: readonly Policy[], { kind, name, sectionName }: TargetRef): readonly Policy[] =>
  oldestFirst(policies).filter(({ spec }) =>
    spec.targetRefs.some((ref) => ref.kind === kind && ref.name === name && ref.sectionName === sectionName),
  );

const oldestFirst = (policies: readonly Policy[]): Policy[] =>
  [...policies].sort((one, other) => (ageOf(one) < ageOf(other) ? -1 : 1));

const ageOf = ({ metadata }: Policy): string => `${metadata.creationTimestamp} ${metadata.name}`;
