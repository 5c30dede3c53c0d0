import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { anyAsk, askTo } from './asks.ts';
import { partNames } from './levels.ts';
import { gatewayTarget, listenerTarget, places, routeTarget, setTarget, type TargetRef } from './places.ts';
import { someParts } from './random-parts.ts';
import { referred } from './random-referred.ts';
import { crowdedHosts, isSpoilt, spoil } from './spoilt.ts';
import type { Ask, Host, Part, Policy, RouteKind, World } from './world.ts';

/** Random worlds of policies, and requests to them. Names are few, so that things meet. */

const rarely = (weight: number) => ({ freq: weight, nil: undefined });
const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 2) => fc.option(arbitrary, rarely(freq));
type Spec = Policy['spec'];

const listed = fc.subarray([...partNames], { minLength: 1, maxLength: 5 });

interface Named {
  readonly name: string;
  readonly targetRefs: Spec['targetRefs'];
  readonly age: number;
  readonly spec: Partial<Spec>;
}

const policyOf = ({ name, targetRefs, age, spec }: Named): Policy =>
  ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name, namespace: 'default', creationTimestamp: `2026-01-01T00:00:0${age}Z` },
    spec: { targetRefs, ...spec },
  }) as unknown as Policy;

const age = fc.integer({ min: 0, max: 2 });

const listenerTargets = places.flatMap((place) => [false, true].map((isTls) => listenerTarget(place, isTls)));
/** The Gateway as a whole makes many requests alike, so it comes less often than all of the others together. */
const aboveRoutes: fc.Arbitrary<TargetRef[]> = fc.oneof(
  { arbitrary: fc.constant<TargetRef[]>([gatewayTarget]), weight: 3 },
  { arbitrary: fc.constant<TargetRef[]>([setTarget('more')]), weight: 2 },
  { arbitrary: fc.subarray(listenerTargets, { minLength: 1, maxLength: 3 }), weight: 3 },
  {
    arbitrary: fc.subarray([gatewayTarget, setTarget('more'), ...listenerTargets], { minLength: 2, maxLength: 3 }),
    weight: 1,
  },
);

/** Only what may be written: see the definition's own rules. */
function overridableOf({ satisfy, oidc }: Partial<Spec>, parts: readonly Part[] = []): Pick<Spec, 'overridable'> {
  const inAny: readonly Part[] = ['clientCertificates', 'apiKeys', 'basicAuth', 'jwt'];
  const written = parts.filter((part) => satisfy !== 'Any' || !inAny.includes(part));
  const needsLogin = oidc?.passThrough !== undefined && written.some((part) => part === 'jwt' || part === 'any');
  const all = [...new Set([...written, ...(needsLogin ? (['oidc'] as const) : [])])];
  return all.length > 0 ? { overridable: all } : {};
}

const guards: fc.Arbitrary<Policy[]> = fc
  .array(
    fc.record({
      age,
      spec: someParts,
      targetRefs: aboveRoutes,
      overridable: maybe(listed, 2),
      overrides: maybe(listed, 1),
    }),
    { maxLength: 4 },
  )
  .map((all) =>
    all.map(({ age: born, spec, targetRefs, overridable, overrides }, index) => {
      // A Gateway has nothing above it.
      const canOverride = targetRefs.some(({ kind, sectionName }) => kind !== 'Gateway' || sectionName !== undefined);
      const more = { ...overridableOf(spec, overridable), ...(overrides && canOverride && { overrides }) };
      return policyOf({ name: `g${index}`, targetRefs, age: born, spec: { ...spec, ...more } });
    }),
  );

const sections = fc.subarray<string | undefined>([undefined, 'one', 'two'], { minLength: 1, maxLength: 2 });

/**
 * Half of them at each place are GRPCRoutes. What else takes requests to a host must be of the same kind as its route. The kind of a host stays: what goes
 * from a file goes a moment later than its policies come to be for another route.
 */
const kindOf = (host: number): RouteKind =>
  !crowdedHosts.includes(host) && (host + Math.floor(host / places.length)) % 2 === 1 ? 'GRPCRoute' : 'HTTPRoute';

const ownPolicy = fc.record({
  age,
  spec: fc.option(someParts, rarely(5)),
  sections,
  overrides: maybe(listed, 1),
  /** Then it is for a route of the same name that is not there. */
  isOfOtherKind: fc.oneof({ arbitrary: fc.constant(false), weight: 12 }, { arbitrary: fc.constant(true), weight: 1 }),
});

function hostOf(host: number): fc.Arbitrary<Host> {
  const kind = kindOf(host);
  const other = kind === 'HTTPRoute' ? 'GRPCRoute' : 'HTTPRoute';
  return fc
    .record({ isWildcard: fc.boolean(), own: fc.array(ownPolicy, { maxLength: 3 }) })
    .map(({ isWildcard, own }) => {
      const policies = own.flatMap(({ age: born, spec = {}, sections: chosen, overrides, isOfOtherKind }, index) => {
        const targetRefs = chosen.map((section) => routeTarget(host, isOfOtherKind ? other : kind, section));
        const whole = { ...spec, ...(overrides && { overrides }) };
        return Object.keys(whole).length === 0
          ? []
          : policyOf({ name: `h${host}-p${index}`, targetRefs, age: born, spec: whole });
      });
      return { kind, isWildcard, policies };
    });
}

export interface Case {
  readonly world: World;
  /** Requests to each host. */
  readonly asks: readonly (readonly Ask[])[];
}

/** So many hosts at once, and so many requests to each. */
export const cases = (hosts: number, asksEach: number): fc.Arbitrary<Case> =>
  fc
    .record({
      referred,
      guards,
      each: fc.array(fc.array(anyAsk, { minLength: 1, maxLength: asksEach, size: 'max' }), {
        minLength: hosts,
        maxLength: hosts,
      }),
      hosts: fc.tuple(...Array.from({ length: hosts }, (_, index) => hostOf(index))),
    })
    .map(({ referred: { secrets, keySets }, guards: demanded, each, hosts: made }) => ({
      world: { secrets: secrets as unknown as World['secrets'], keySets, guards: demanded, hosts: made },
      asks: each.map((list, host) => list.map((drawn) => askTo((made[host] as Host).kind, drawn))),
    }));

/** What proxies reject of a world: some of its policies have a rule of that kind from then on, or more policies have. */
export interface RejectedCase extends Case {
  /** The same without what proxies reject. */
  readonly good: World;
  /** Whether the good one is there before, or the former world of another case. */
  readonly isAlone: boolean;
}

const rejectedPolicy = fc.record({
  level: fc.constantFrom('gateway', 'listenerSet', 'listener', 'listener', 'route', 'rule'),
  isMore: fc.boolean(),
  at: fc.nat(1000),
  age,
  spec: someParts,
});
type Chosen = typeof rejectedPolicy extends fc.Arbitrary<infer T> ? T : never;

/** Most often one alone: what some of them close hides what others do. */
const rejectedPolicies = fc.oneof(
  { arbitrary: rejectedPolicy.map((one) => [one]), weight: 2 },
  { arbitrary: fc.array(rejectedPolicy, { minLength: 2, maxLength: 4 }), weight: 1 },
);

/** The same worlds, each with policies that proxies reject. */
export const rejectedCases = (hosts: number, asksEach: number): fc.Arbitrary<RejectedCase> =>
  fc.tuple(cases(hosts, asksEach), rejectedPolicies, fc.boolean()).map(([{ world, asks }, chosen, isAlone]) => ({
    world: chosen.reduce(withOneRejected, world),
    good: world,
    isAlone,
    asks,
  }));

function withOneRejected(
  { guards: above, hosts, ...world }: World,
  { level, at, ...more }: Chosen,
  index: number,
): World {
  const chosen = { ...more, name: `bad-${index}` };
  if (level !== 'route' && level !== 'rule')
    return { ...world, hosts, guards: withRejected(above, { ...chosen, target: targetAbove(level, at) }) };
  const host = at % hosts.length;
  const target = routeTarget(host, (hosts[host] as Host).kind, level === 'rule' ? 'one' : undefined);
  return {
    ...world,
    guards: above,
    hosts: hosts.map((one, each) =>
      each === host ? { ...one, policies: withRejected(one.policies, { ...chosen, target }) } : one,
    ),
  };
}

function targetAbove(level: 'gateway' | 'listenerSet' | 'listener', at: number): TargetRef {
  if (level === 'gateway') return gatewayTarget;
  return level === 'listenerSet' ? setTarget('more') : (listenerTargets[at % listenerTargets.length] as TargetRef);
}

/** A policy with just that target is spoilt, if there is one; else one that is added. */
function withRejected(
  policies: readonly Policy[],
  {
    target,
    name,
    isMore,
    age: born,
    spec,
  }: Omit<Chosen, 'level' | 'at'> & { readonly name: string; readonly target: TargetRef },
): readonly Policy[] {
  const isFor = ({ spec: { targetRefs } }: Policy) => targetRefs.some((ref) => isDeepStrictEqual(ref, target));
  const known = isMore ? undefined : policies.find((policy) => isFor(policy) && !isSpoilt(policy));
  if (known) return policies.map((policy) => (policy === known ? spoil(policy) : policy));
  return [...policies, spoil(policyOf({ name, targetRefs: [target], age: born, spec }))];
}
