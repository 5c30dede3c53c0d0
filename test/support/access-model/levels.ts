import type { Part, Policy, World } from './world.ts';

/** In the order in which requests meet them. */
export const partNames = [
  'clientIPs',
  'clientCertificates',
  'csrf',
  'apiKeys',
  'basicAuth',
  'jwt',
  'forwardAuth',
  'authorization',
] as const;

interface Demand {
  readonly part: Part;
  readonly policy: Policy;
  readonly level: 'gateway' | 'route';
}

/** Everything that a request must meet, in order: part by part, and each first of the Gateway, then of the route, then of the rule. */
export function demandsOf({ guards, hosts }: World, host: number, path: string): readonly Demand[] {
  const own = hosts[host]?.policies ?? [];
  const rule = ['one', 'two'].find((name) => path === `/${name}` || path.startsWith(`/${name}/`));
  const [route, ofRule] = [forSection(own, undefined), rule === undefined ? [] : forSection(own, rule)];
  const switchedOff = new Set([...route, ...ofRule].flatMap(({ spec }) => spec.overrides ?? []));
  return partNames.flatMap((part): Demand[] => {
    const guard = holderOf(part, oldestFirst(guards));
    const isOff = switchedOff.has(part) && guard?.spec.overridable?.includes(part);
    return [
      ...(guard && !isOff ? [{ part, policy: guard, level: 'gateway' as const }] : []),
      ...[route, ofRule].flatMap((policies) => {
        const policy = holderOf(part, policies);
        return policy ? [{ part, policy, level: 'route' as const }] : [];
      }),
    ];
  });
}

/** Policies of a host's route as a whole, or of one rule of it. */
const forSection = (policies: readonly Policy[], section: string | undefined): Policy[] =>
  oldestFirst(policies).filter(({ spec }) => spec.targetRefs.some(({ sectionName }) => sectionName === section));

const holderOf = (part: Part, policies: readonly Policy[]): Policy | undefined =>
  policies.find(({ spec }) => spec[part] !== undefined);

const oldestFirst = (policies: readonly Policy[]): Policy[] =>
  [...policies].sort((one, other) => (ageOf(one) < ageOf(other) ? -1 : 1));

const ageOf = ({ metadata }: Policy): string => `${metadata.creationTimestamp} ${metadata.name}`;
