import { type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import { resolveClientCertificate } from '../../graph/certificates/index.ts';
import type { GatewayConditions, GuardedListener, StatusContext } from '../../graph/engine/index.ts';
import { type ConditionFault, clientCertificateKey, combineFaults, conditionOf } from '../../graph/model/index.ts';
import { findTarget, gatewaysOfTargets, isListenerOwner, ownerTarget, routeTargetKey } from '../policies/index.ts';
import { contentsOf, extensionOf, mayBeMissing } from './extension.ts';
import type { Policy } from './policy.ts';
import { actingAt, describeRow } from './row.ts';

type TargetRef = Policy['spec']['targetRefs'][number];

/** The conditions of a policy, at the Gateways that it is for and those of its routes. */
export function extensionPolicyConditions(policy: Policy, context: StatusContext): GatewayConditions {
  const generation = policy.metadata.generation ?? 0;
  const missing = policy.spec.targetRefs.flatMap((ref) => {
    const found = findTarget(policy, ref, context);
    return 'fault' in found ? [found.fault] : [];
  });
  return new Map(
    gatewaysOfTargets(policy, context).map((gateway) => {
      const certificate = certificateOf(context.store.find('Gateway', gateway), context);
      const { fault, off } = extensionOf(policy, certificate, context.store);
      const { fault: crowding, remark } = crowdingAt(policy, gateway, context);
      const rejection = context.filters.rejectionOf(contentsOf(policy, certificate, context.store))(gateway);
      const faults = [
        ...missing,
        ...[crowding ?? [], rejection ?? []].flat(),
        ...(off ? [withConsequence(off, policy)] : []),
      ];
      return [
        gateway,
        [
          conditionOf('Accepted', generation, combineFaults(faults), { message: remark }),
          conditionOf('ResolvedRefs', generation, fault && withConsequence(fault, policy)),
        ],
      ];
    }),
  );
}

const certificateOf = (
  gateway: ObjectByKind['Gateway'] | undefined,
  { store }: Pick<StatusContext, 'store'>,
): string | undefined =>
  gateway && clientCertificateKey({ clientCertificate: resolveClientCertificate(gateway, store) });

const withConsequence = ({ reason, message }: ConditionFault, policy: Policy): ConditionFault => ({
  reason,
  message: `${message}; until then its targets ${mayBeMissing(policy) ? 'do without it' : 'are answered 503'}`,
});

/** Where a policy would act. */
interface Spot {
  /** `HTTPRoute shop/web` */
  readonly where: string;
  readonly isActing: boolean;
  /** The policies that act there. */
  readonly acting: readonly Policy[];
}

/** What a policy is too many for. The fault: it acts nowhere. */
function crowdingAt(
  policy: Policy,
  gateway: string,
  context: StatusContext,
): { readonly fault?: ConditionFault; readonly remark: string } {
  const spots = policy.spec.targetRefs.flatMap((ref) => spotsOf(policy, ref, gateway, context));
  const left = spots.filter(({ isActing }) => !isActing);
  const [first] = left;
  if (!first) return { remark: '' };
  const places = [...new Set(left.map(({ where }) => where))].join(', ');
  const message = `does not act at ${places}, where ExtensionPolicies ${describeRow(first.acting)} act already: no more than two of a row do, and ${mayBeMissing(policy) ? 'requests do without it' : 'requests are answered 503'}`;
  return left.length === spots.length ? { fault: { reason: 'Conflicted', message }, remark: '' } : { remark: message };
}

function spotsOf(policy: Policy, ref: TargetRef, gateway: string, context: StatusContext): Spot[] {
  const found = findTarget(policy, ref, context);
  if ('fault' in found) return [];
  const { target, section, where } = found;
  const isRoute = !isListenerOwner(ref.kind);
  const rule = isRoute ? { route: target, rule: section } : undefined;
  const listeners = isRoute ? context.routes.listenersOf(target, gateway) : ownListeners(ref, policy, gateway, context);
  return listeners.map((listener) => {
    const acting = actingAt(gateway, listener, rule, context);
    return { where, isActing: acting.includes(policy), acting };
  });
}

/** The listeners of a Gateway that a policy of it, of a ListenerSet or of a listener is for. */
function ownListeners(
  { kind, name, sectionName }: TargetRef,
  { metadata }: Policy,
  gateway: string,
  { gateways }: StatusContext,
): readonly GuardedListener[] {
  const key = objectKey(metadata.namespace ?? '', name);
  const all = gateways.listenersOf(gateway);
  if (kind === 'Gateway' && sectionName === undefined) return all;
  const target = routeTargetKey(kind, key);
  return all.filter(
    (listener) =>
      ownerTarget(listener.owner) === target && (sectionName === undefined || listener.name === sectionName),
  );
}
