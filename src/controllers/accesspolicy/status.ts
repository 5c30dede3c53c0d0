import { keyOf, objectKey } from '../../gateway-api/index.ts';
import type { GatewayConditions, StatusContext } from '../../graph/engine/index.ts';
import { type ConditionFault, combineFaults, conditionOf, type RouteObject } from '../../graph/model/index.ts';
import { rulesOf } from '../../graph/routes/index.ts';
import * as ir from '../../ir/index.ts';
import { routePoliciesOf, routeTargetKey } from '../policies/index.ts';
import { holderOf, overridableOf } from './demands.ts';
import {
  demandsPart,
  invalid,
  type Level,
  namespaceOf,
  type Policy,
  policyParts,
  type ResolvedPart,
  resolveCors,
  resolvePart,
} from './parts/index.ts';
import { gatewayTarget } from './settings.ts';
import { accessTargets } from './targets.ts';

type TargetRef = Policy['spec']['targetRefs'][number];

/** The conditions of a policy, at the Gateways that it is for and those of its routes. */
export function accessPolicyConditions(policy: Policy, context: StatusContext): GatewayConditions {
  const generation = policy.metadata.generation ?? 0;
  const content = contentFaults(policy, context);
  const faults = [
    ...policy.spec.targetRefs.flatMap((ref) => targetFaults(policy, ref, context)),
    ...content.faults,
    ...(resolveCors(policy)?.faults ?? []),
  ];
  const references = conditionOf('ResolvedRefs', generation, content.references);
  return new Map(
    gatewaysOf(policy, context).map((gateway) => {
      const shared = sharedFault(policy, gateway, context);
      const fault = combineFaults([...faults, ...(shared ? [shared] : [])]);
      return [
        gateway,
        [conditionOf('Accepted', generation, fault, overrideRemark(policy, gateway, context)), references],
      ];
    }),
  );
}

const keyOfTarget = (policy: Policy, { name }: TargetRef): string => objectKey(namespaceOf(policy), name);

/** Keys of the Gateways of ours that it acts on, each once. */
const gatewaysOf = (policy: Policy, { gateways, routes }: StatusContext): string[] => [
  ...new Set(
    policy.spec.targetRefs.flatMap((ref) => {
      const key = keyOfTarget(policy, ref);
      if (ref.kind === 'Gateway') return gateways.isShared(key) === undefined ? [] : [key];
      return routes.gatewaysOf(routeTargetKey(ref.kind, key));
    }),
  ),
];

/** What is wrong with its parts, at every level that it is for. */
function contentFaults(policy: Policy, { store }: StatusContext) {
  const levels = new Set(policy.spec.targetRefs.map(({ kind }): Level => (kind === 'Gateway' ? 'gateway' : 'route')));
  const resolved = [...levels].flatMap((level) =>
    ir.accessParts.flatMap((part) => resolvePart(part, { policy, level, store }) ?? []),
  );
  const faultsOf = (parts: readonly ResolvedPart[]) => parts.flatMap(({ referenceFaults = [] }) => referenceFaults);
  const faults = closing(resolved.flatMap((part) => part.faults ?? []));
  const references = combineFaults(faultsOf(resolved));
  const closed = resolved.filter(({ value }) => !value);
  const isClosed = faultsOf(closed).length > 0;
  const status = closed.every(({ isUnavailable }) => isUnavailable) ? 503 : 500;
  return { faults, references: references && isClosed ? closing([references], status)[0] : references };
}

/** The last one says what the targets do meanwhile. */
const closing = (faults: readonly ConditionFault[], status = 500): ConditionFault[] =>
  faults.map(({ reason, message }, index) => ({
    reason,
    message: index < faults.length - 1 ? message : `${message}; until then its targets are answered ${status}`,
  }));

function targetFaults(policy: Policy, ref: TargetRef, context: StatusContext): ConditionFault[] {
  const { kind, sectionName } = ref;
  const key = keyOfTarget(policy, ref);
  const object = context.store.find(kind, key);
  const what = `${kind} ${key}`;
  if (!object) return [{ reason: 'TargetNotFound', message: `${what} does not exist` }];
  if (kind === 'Gateway' && sectionName !== undefined)
    return [invalid(`${what} is protected as a whole: leave sectionName out`)];
  const rules = kind === 'Gateway' ? [] : rulesOf(object as RouteObject).flatMap(({ name }) => name ?? []);
  if (sectionName !== undefined && !rules.includes(sectionName)) {
    const message = `${what} has no rule named ${sectionName}: it has ${rules.join(', ') || 'none with a name'}`;
    return [{ reason: 'TargetNotFound', message }];
  }
  return conflicts(policy, { target: routeTargetKey(kind, key), section: sectionName, what }, context);
}

/** Parts that an older policy of the target has. */
function conflicts(
  policy: Policy,
  { target, section, what }: { readonly target: string; readonly section: string | undefined; readonly what: string },
  context: StatusContext,
): ConditionFault[] {
  const policies = routePoliciesOf(accessTargets, target, section, context);
  const where = section === undefined ? what : `rule ${section} of ${what}`;
  return policyParts.flatMap((part): ConditionFault[] => {
    const holder = holderOf(part, policies);
    if (!demandsPart(policy.spec, part) || !holder || keyOf(holder) === keyOf(policy)) return [];
    const message = `${where} has ${part} of the older AccessPolicy ${keyOf(holder)} already: change or remove one of them`;
    return [{ reason: 'Conflicted', message }];
  });
}

/** A table that several Gateways share would guard the requests of all of them. */
function sharedFault(policy: Policy, gateway: string, { gateways }: StatusContext): ConditionFault | undefined {
  const isFor = policy.spec.targetRefs.some((ref) => ref.kind === 'Gateway' && keyOfTarget(policy, ref) === gateway);
  const demands = ir.accessParts.some((part) => demandsPart(policy.spec, part));
  if (!isFor || !demands || !gateways.isShared(gateway)) return undefined;
  return invalid(
    `Gateway ${gateway} shares proxies with others of its class: name its routes instead; until then they are answered with an error`,
  );
}

/** The parts that the Gateway's policies keep in force although this one switches them off for its routes. */
function overrideRemark(policy: Policy, gateway: string, context: StatusContext): Partial<ConditionFault> {
  const { overrides = [] } = policy.spec;
  if (overrides.length === 0) return {};
  const policies = routePoliciesOf(accessTargets, gatewayTarget(gateway), undefined, context);
  const allowed = overridableOf(policies);
  const kept = ir.accessParts.flatMap((part) => {
    const holder = holderOf(part, policies);
    return overrides.includes(part) && holder && !allowed.includes(part) ? [`${part} of ${keyOf(holder)}`] : [];
  });
  if (kept.length === 0) return {};
  return {
    reason: 'OverrideNotAllowed',
    message: `${kept.join(', ')} stays in force: the Gateway's policy does not list it in overridable`,
  };
}
