import type { ObjectByKind } from '../../gateway-api/index.ts';
import type { GatewayConditions, StatusContext } from '../../graph/engine/index.ts';
import {
  appliesPolicies,
  type ConditionFault,
  combineFaults,
  conditionOf,
  parseBackendKey,
} from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { conditionsAt, targetFaults, targetsOf, winnerOf } from '../policies/index.ts';
import { canFailOver, failoverFaults } from './failover.ts';
import { serviceAddress } from './service-address.ts';
import { isTuned, tunedTargets, valueFaults } from './tuning.ts';

type Policy = ObjectByKind['BackendPolicy'];

/** The conditions of a policy, for the Gateways that use some backends of its targets. */
export function backendPolicyConditions(policy: Policy, context: StatusContext): GatewayConditions {
  const keys = context.backends.of(targetsOf(policy)).filter(isTuned);
  const backends = keys.flatMap((backend) => context.backends.find(backend) ?? []);
  const faults = [...targetFaults(tunedTargets, policy, context), ...valueFaults(policy, context)];
  const generation = policy.metadata.generation ?? 0;
  const unverified = backends.filter(isUnverified);
  const conditions = [
    conditionOf('Accepted', generation, combineFaults(faults), {
      message: remarks(policy, backends, context).join('; '),
    }),
    ...(policy.spec.failover
      ? [conditionOf('ResolvedRefs', generation, combineFaults(failoverFaults(policy, backends, context)))]
      : []),
    ...(unverified.length > 0 && isWinning(policy, context)
      ? [conditionOf('InsecureBackendValidationMode', generation, undefined, insecure(unverified))]
      : []),
  ];
  return conditionsAt(context.backends.gatewaysOf(keys), conditions, context.backends.rejectionOf(keys));
}

/** Proxies accept every certificate of it. */
const isUnverified = ({ tls, tuning }: ir.Backend): boolean =>
  tls !== undefined && tuning?.tls?.verification === 'none';

const isWinning = (policy: Policy, context: StatusContext): boolean =>
  targetsOf(policy).some((target) => winnerOf(tunedTargets, target, context) === policy) &&
  policy.spec.tls?.verification?.mode === 'None';

/** Source: GEP-4152, which wants it to be seen. The type is named like the Gateway API's for clients. */
const insecure = (backends: readonly ir.Backend[]): ConditionFault => ({
  reason: 'VerificationDisabled',
  message: about(
    backends,
    'is not verified by its certificate, so anyone between it and the proxy can read and change everything: use Pinned, or Full with its authorities',
  ).join(''),
});

/** What is taken, and does nothing for some of the backends. */
function remarks({ spec }: Policy, backends: readonly ir.Backend[], context: StatusContext): string[] {
  const unchecked = spec.healthCheck?.active?.grpc ? backends.filter(({ protocol }) => protocol === 'http1') : [];
  const plain = spec.tls ? backends.filter(({ key, tls }) => !tls && appliesPolicies(parseBackendKey(key))) : [];
  const unnamed = spec.dns ? backends.filter(({ hostname }) => hostname === undefined) : [];
  const headless = spec.addressing === 'Service' ? backends.filter((backend) => !serviceAddress(backend, context)) : [];
  const alone = spec.failover ? backends.filter((backend) => !canFailOver(backend)) : [];
  return [
    ...about(alone, 'is found by DNS, so failover does nothing: it is for endpoints that Kubernetes knows'),
    ...about(
      unchecked,
      'is spoken to by HTTP/1.1, so it is not checked by gRPC: set appProtocol kubernetes.io/h2c, or an http check',
    ),
    ...about(
      plain,
      'is spoken to without TLS, so tls does nothing: a BackendTLSPolicy or the tls of an XBackend asks for it',
    ),
    ...about(unnamed, 'has no name that is resolved, so dns does nothing: it is for XBackends with a hostname'),
    ...about(headless, 'has no cluster IP, so connections go to its endpoints'),
  ];
}

function about(backends: readonly ir.Backend[], what: string): string[] {
  if (backends.length === 0) return [];
  const names = new Set(backends.map(({ namespace, service, port }) => `${namespace}/${service}:${port}`));
  return [`${[...names].sort().join(', ')} ${what}`];
}
