import { until } from '../until.ts';
import type { Fault } from './check-cases.ts';
import { hostIn } from './levels.ts';
import { verdictsOf } from './model.ts';
import type { AccessRig } from './rig.ts';
import type { Ask, Policy, World } from './world.ts';

type Try = Pick<Fault, 'world' | 'host' | 'ask'>;

/** A smaller case that fails too: of the host alone, without each policy, part and credential that does not matter. */
export async function shrink(rig: AccessRig, fault: Fault): Promise<Fault> {
  let smallest = fault;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smallerThan(smallest)) {
      const failing = await failingOf(rig, candidate);
      if (!failing) continue;
      smallest = failing;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

async function failingOf(rig: AccessRig, { world, host, ask }: Try): Promise<Fault | undefined> {
  await rig.apply(world);
  let status = '';
  const answersRight = async () => {
    status = await rig.ask(world, host, ask);
    return verdictsOf(world, host, ask).has(status);
  };
  // A worker of Envoy may be a moment behind.
  const isRight = await until('the right answer', answersRight, patienceMs).catch(() => false);
  return isRight ? undefined : { world, host, ask, status };
}

const patienceMs = 1000;

function* smallerThan({ world, host, ask }: Try): Generator<Try> {
  const alone = { ...world, hosts: world.hosts.map((one, index) => (index === host ? one : { ...one, policies: [] })) };
  if (world.hosts.some(({ policies }, index) => index !== host && policies.length > 0))
    yield { world: alone, host, ask };
  for (const guards of fewer(world.guards)) yield { world: { ...world, guards }, host, ask };
  const own = hostIn(world, host);
  const withHost = (one: World['hosts'][number]) => world.hosts.map((other, index) => (index === host ? one : other));
  for (const policies of fewer(own.policies))
    yield { world: { ...world, hosts: withHost({ ...own, policies }) }, host, ask };
  if (own.isWildcard) yield { world: { ...world, hosts: withHost({ ...own, isWildcard: false }) }, host, ask };
  for (const name of Object.keys(ask))
    if (!['method', 'path', 'spelling'].includes(name)) yield { world, host, ask: without(ask, name) as Ask };
  if (ask.path !== '/') yield { world, host, ask: { ...ask, path: '/' } };
  if (ask.spelling !== 'exact') yield { world, host, ask: { ...ask, spelling: 'exact' } };
}

/** The list without one of its policies, or without one part of one that may be written without it. */
function* fewer(policies: readonly Policy[]): Generator<Policy[]> {
  for (const [at, policy] of policies.entries()) {
    yield policies.toSpliced(at, 1);
    const names = Object.keys(policy.spec).filter((name) => !['targetRefs', 'satisfy'].includes(name));
    for (const name of names.length > 1 && !isOneEnough(policy) ? names : [])
      yield policies.toSpliced(at, 1, { ...policy, spec: without(policy.spec, name) as Policy['spec'] });
  }
}

/** What is left must be two of which one is enough, or what a login leaves requests to. */
const isOneEnough = ({ spec }: Policy): boolean => spec.satisfy === 'Any' || spec.oidc?.passThrough !== undefined;

const without = (object: object, name: string): object =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
