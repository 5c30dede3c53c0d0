import type { Condition } from '../../gateway-api/index.ts';
import type { GatewayConditions, StatusContext } from '../../graph/engine/index.ts';
import { type ConditionFault, combineFaults, conditionOf, parseRouteKey } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { firstNames } from '../../std/index.ts';
import { conditionsAt, findTarget, gatewaysOfTargets, routePolicyOf, targetsOf } from '../policies/index.ts';
import { contentFaults, isUsable, partsOf } from './content.ts';
import { isPatched, patchContent } from './patch.ts';
import { contentsAt } from './route-patch.ts';
import { faultsOfTargets, ofRoutes, type Policy, patchedRoutes, targetingOnly } from './targets.ts';
import { unpatchedAt, unpatchedNote } from './unpatched.ts';

/** The conditions of a policy, for the Gateways that use some backends of its targets, are among these, or have its routes. */
export function envoyPatchConditions(policy: Policy, context: StatusContext): GatewayConditions {
  const keys = context.backends.of(targetsOf(targetingOnly(policy, 'backend'))).filter(isPatched);
  const backends = keys.flatMap((key) => context.backends.find(key) ?? []);
  const patched = backends.filter((backend) => patchContent(policy, backend).length > 0);
  const places = placesOf(policy, context);
  const faults = combineFaults([...faultsOfTargets(policy, context), ...contentFaults(policy)]);
  const contents = [
    ...patched.flatMap((backend) => patchContent(policy, backend)),
    ...[...Map.groupBy(places, ({ target }) => target)].flatMap(([target, own]) =>
      contentsAt(policy, target, own.map(({ where }) => where).join(' and ')),
    ),
  ];
  const gateways = new Set([...context.backends.gatewaysOf(keys), ...gatewaysOfTargets(ofRoutes(policy), context)]);
  const rejectionAt = context.filters.rejectionOf(contents);
  const trialAt = context.filters.trialOf(contents);
  return new Map(
    [...gateways].flatMap((gateway) => {
      const message = [
        backendRemark(policy, patched),
        placeRemark(
          policy,
          places.filter((place) => !isIdle(place, context)),
        ),
        portRemark(policy, gateway, context),
      ]
        .filter((text) => text !== '')
        .join('; ');
      const accepted = conditionOf('Accepted', policy.metadata.generation ?? 0, faults, { message });
      const trial = trialAt(gateway);
      return [...conditionsAt([gateway], [accepted, ...(trial ? [trialCondition(policy, trial)] : [])], rejectionAt)];
    }),
  );
}

/** Only while there is something to say: what proxies have tried first, or could not. */
const trialCondition = ({ metadata }: Policy, { reason, message }: ConditionFault): Condition => ({
  type: 'Validated',
  status: 'False',
  observedGeneration: metadata.generation ?? 0,
  reason,
  message,
});

/** A rule, a route or a Gateway that a policy patches. */
interface Place {
  /** Of the route or Gateway: `KIND NAMESPACE/NAME`. */
  readonly target: string;
  /** The same in words, with the rule. */
  readonly where: string;
}

function placesOf(policy: Policy, context: StatusContext): Place[] {
  if (!isUsable(policy)) return [];
  const targeting = ofRoutes(policy);
  const found = targeting.spec.targetRefs.flatMap((ref) => {
    const found = findTarget(targeting, ref, context);
    if ('fault' in found) return [];
    const { target, section, where } = found;
    return routePolicyOf(patchedRoutes, target, section, context) === policy
      ? [[where, { target, where }] as const]
      : [];
  });
  return [...new Map(found).values()];
}

const maxNamed = 8;

const named = (names: readonly string[]): string => firstNames([...names].sort(), maxNamed);

const fieldsOf = (policy: Policy, family: 'backend' | 'route' | 'gateway'): string =>
  partsOf(policy, family)
    .flatMap((part) => Object.keys(policy.spec[part] ?? {}).map((field) => `${part}.${field}`))
    .sort()
    .join(', ');

/** Which backends are patched, and with what. */
function backendRemark(policy: Policy, patched: readonly ir.Backend[]): string {
  if (patched.length === 0) return '';
  const idle = patched.filter(({ protocol }) => protocol === 'tcp').map(({ key }) => key);
  const patches = `patches ${fieldsOf(policy, 'backend')} of ${named(patched.map(({ key }) => key))}`;
  return policy.spec.httpProtocolOptions && idle.length > 0
    ? `${patches}; httpProtocolOptions do nothing to ${named(idle)}, whose bytes pass as they are`
    : patches;
}

/** The same of routes and Gateways. */
const placeRemark = (policy: Policy, places: readonly Place[]): string =>
  (['route', 'gateway'] as const)
    .flatMap((family) => {
      const own = places.filter(({ target }) => target.startsWith('Gateway ') === (family === 'gateway'));
      return own.length > 0 ? [`patches ${fieldsOf(policy, family)} of ${named(own.map(({ where }) => where))}`] : [];
    })
    .join('; ');

/** Others have listeners on all ports of a Gateway. */
function isIdle({ target }: Place, context: StatusContext): boolean {
  const { kind, key }: { readonly kind: string; readonly key: string } = parseRouteKey(target);
  return kind === 'Gateway' && unpatchedAt({ gateway: key }, context).all;
}

/** Where others have a say in how clients are treated. */
function portRemark(policy: Policy, gateway: string, { gateways }: StatusContext): string {
  const unpatched = partsOf(policy, 'gateway').length > 0 ? gateways.unpatchedListenersOf(gateway) : [];
  return unpatched.length > 0 ? unpatchedNote(unpatched) : '';
}
