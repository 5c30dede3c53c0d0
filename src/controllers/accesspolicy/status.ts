import { keyOf, objectKey } from '../../gateway-api/index.ts';
import type { GatewayConditions, StatusContext } from '../../graph/engine/index.ts';
import { type ConditionFault, combineFaults, conditionOf, isHttp } from '../../graph/model/index.ts';
import * as ir from '../../ir/index.ts';
import {
  findTarget,
  gatewaysOfTargets,
  isListenerOwner,
  routePoliciesOf,
  routeTargetKey,
  targetsOfListener,
} from '../policies/index.ts';
import { alikeRemark } from './alike.ts';
import { certificatesAt } from './certificate-listeners.ts';
import { holderOf, overridableOf, overridesOf, switchedOffOf } from './demands.ts';
import { isConnectionRoute, isOfConnections } from './edges.ts';
import { brokenDatabasesAt, locationsAt } from './locations.ts';
import { loginsAt } from './login-listeners.ts';
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
import { crowdingAt, noRoomAt, rawPathsAt } from './raw-paths.ts';
import { rejectedAt } from './rejected.ts';
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
  const repeated = alikeRemark(policy, context);
  const rejected = rejectedAt(policy, context);
  return new Map(
    gatewaysOfTargets(policy, context).map((gateway) => {
      const needs = [certificatesAt(policy, gateway, context), loginsAt(policy, gateway, context)];
      const here = [
        ...needs.map((each) => each.fault),
        locationsAt(policy, gateway, context),
        rawPathsAt(policy, gateway, context),
        crowdingAt(policy, gateway, context),
        rejected(gateway),
      ].flatMap((each) => each ?? []);
      const fault = combineFaults([...faults, ...here]);
      const remark = combineFaults(
        [
          overrideRemark(policy, gateway, context),
          ...needs.map((each) => each.remark),
          noRoomAt(policy, gateway, context),
          repeated,
        ].flatMap((each) => each ?? []),
      );
      const accepted = conditionOf('Accepted', generation, fault, remark);
      return [gateway, [accepted, references, ...brokenDatabasesAt(policy, gateway, context)]];
    }),
  );
}

/** What is wrong with its parts, at every level that it is for. */
function contentFaults(policy: Policy, { store }: StatusContext) {
  const levels = new Set(
    policy.spec.targetRefs.map(({ kind }): Level => (isListenerOwner(kind) ? 'gateway' : 'route')),
  );
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
  const found = findTarget(policy, ref, context);
  if ('fault' in found) return [found.fault];
  return [
    ...(isConnectionRoute(ref.kind) ? partsBeyondConnections(policy, found.where) : []),
    ...partsBeyondListener(policy, ref, found.where, context),
    ...conflicts(policy, found, context),
  ];
}

/** Of a listener that looks into no requests, by what it is named: all parts but one are without effect there. */
function partsBeyondListener(
  policy: Policy,
  { kind, name, sectionName }: TargetRef,
  where: string,
  { store }: StatusContext,
): ConditionFault[] {
  if (sectionName === undefined || !isListenerOwner(kind)) return [];
  const listeners = store.find(kind, objectKey(namespaceOf(policy), name))?.spec.listeners ?? [];
  const listener = listeners.find((each) => each.name === sectionName);
  const parts = policyParts.filter((part) => part !== 'clientIPs' && demandsPart(policy.spec, part));
  if (!listener || isHttp(listener) || parts.length === 0) return [];
  return [
    invalid(
      `${where} has connections and no requests, and they meet clientIPs alone: remove ${parts.join(', ')}, which let all of them in`,
    ),
  ];
}

function partsBeyondConnections({ spec }: Policy, where: string): ConditionFault[] {
  const parts = policyParts.filter((part) => !isOfConnections(part) && demandsPart(spec, part));
  const bySubject =
    demandsPart(spec, 'clientCertificates') && spec.clientCertificates?.names?.some(({ subject }) => subject);
  return [
    ...(parts.length > 0
      ? [
          `${where} can demand clientIPs and clientCertificates and nothing else, as nothing of its connections is read: remove ${parts.join(', ')}`,
        ]
      : []),
    ...(bySubject ? [`${where} compares certificates by dns and uri alone: remove the names by subject`] : []),
  ].map((message) => invalid(`${message}; until then all of its connections are closed`));
}

/** Parts that an older policy of the target has. */
function conflicts(
  policy: Policy,
  { target, section, where }: { readonly target: string; readonly section: string | undefined; readonly where: string },
  context: StatusContext,
): ConditionFault[] {
  const policies = routePoliciesOf(accessTargets, target, section, context);
  return policyParts.flatMap((part): ConditionFault[] => {
    const holder = holderOf(part, policies);
    if (!demandsPart(policy.spec, part) || !holder || keyOf(holder) === keyOf(policy)) return [];
    const message = `${where} has ${part} of the older AccessPolicy ${keyOf(holder)} already: change or remove one of them`;
    return [{ reason: 'Conflicted', message }];
  });
}

/** The parts of upper levels that stay in force although the policy switches them off. */
function overrideRemark(policy: Policy, gateway: string, context: StatusContext): ConditionFault | undefined {
  const { overrides = [] } = policy.spec;
  if (overrides.length === 0) return undefined;
  const beside = overridesBeside(policy, context);
  const kept = targetsAbove(policy, gateway, context).flatMap(({ target, section }) => {
    const policies = routePoliciesOf(accessTargets, target, section, context);
    const [listed, off] = [overridableOf(policies), switchedOffOf(policies, beside)];
    return ir.accessParts.flatMap((part) => {
      const holder = overrides.includes(part) ? holderOf(part, policies) : undefined;
      return holder && !off.includes(part)
        ? [{ what: `${part} of ${keyOf(holder)}`, listed: listed.includes(part) }]
        : [];
    });
  });
  const whatOf = (isListed: boolean) => [
    ...new Set(kept.flatMap(({ what, listed }) => (listed === isListed ? what : []))),
  ];
  const [notListed, listed] = [whatOf(false).join(', '), whatOf(true).join(', ')];
  const messages = [
    ...(notListed
      ? [`${notListed} stays in force: the policy of the upper level does not list it in overridable`]
      : []),
    ...(listed ? [`${listed} stays in force: ${letPass}`] : []),
  ];
  return messages.length === 0 ? undefined : { reason: 'OverrideNotAllowed', message: messages.join('; ') };
}

const letPass =
  'requests that passThrough of its login lets pass would meet nothing, so oidc has to be switched off, too';

/** Parts that the policy switches off, and others that are for the same targets. */
function overridesBeside(policy: Policy, context: StatusContext): readonly ir.AccessPart[] {
  const all = policy.spec.targetRefs.flatMap(({ kind, name, sectionName }) => {
    const target = routeTargetKey(kind, objectKey(namespaceOf(policy), name));
    return [undefined, sectionName].flatMap((section) => routePoliciesOf(accessTargets, target, section, context));
  });
  return overridesOf([policy, ...all]);
}

/** At a Gateway: what is above a policy's targets. */
function targetsAbove(policy: Policy, gateway: string, context: StatusContext) {
  return policy.spec.targetRefs.flatMap(({ kind, name, sectionName }) => {
    const namespace = namespaceOf(policy);
    if (!isListenerOwner(kind)) {
      const route = routeTargetKey(kind, objectKey(namespace, name));
      return context.routes.listenersOf(route, gateway).flatMap((listener) => targetsOfListener(gateway, listener));
    }
    const levels = targetsOfListener(gateway, { owner: { kind, namespace, name }, name: sectionName ?? '' });
    const own = sectionName !== undefined ? 'listener' : kind === 'ListenerSet' ? 'listenerSet' : 'gateway';
    return levels.filter(({ level }) => ir.tableLevels.indexOf(level) < ir.tableLevels.indexOf(own));
  });
}
