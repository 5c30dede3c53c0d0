import type { ObjectByKind } from '../../gateway-api/index.ts';
import type { GatewayConditions, StatusContext } from '../../graph/engine/index.ts';
import { combineFaults, conditionOf } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { conditionsAt, targetFaults, targetsOf } from '../policies/index.ts';
import { serviceAddress } from './service-address.ts';
import { isTuned, tunedTargets, valueFaults } from './tuning.ts';

type Policy = ObjectByKind['BackendPolicy'];

/** The conditions of a policy, for the Gateways that use some backends of its targets. */
export function backendPolicyConditions(policy: Policy, context: StatusContext): GatewayConditions {
  const keys = context.backends.of(targetsOf(policy)).filter(isTuned);
  const backends = keys.flatMap((backend) => context.backends.find(backend) ?? []);
  const faults = [...targetFaults(tunedTargets, policy, context), ...valueFaults(policy)];
  const conditions = [
    conditionOf('Accepted', policy.metadata.generation ?? 0, combineFaults(faults), {
      message: remarks(policy, backends, context).join('; '),
    }),
  ];
  return conditionsAt(context.backends.gatewaysOf(keys), conditions, context.backends.rejectionOf(keys));
}

/** What is taken, and does nothing for some of the backends. */
function remarks({ spec }: Policy, backends: readonly ir.Backend[], context: StatusContext): string[] {
  const unchecked = spec.healthCheck?.active?.grpc ? backends.filter(({ protocol }) => protocol === 'http1') : [];
  const plain = spec.tls ? backends.filter(({ tls }) => !tls) : [];
  const unnamed = spec.dns ? backends.filter(({ hostname }) => hostname === undefined) : [];
  const headless = spec.addressing === 'Service' ? backends.filter((backend) => !serviceAddress(backend, context)) : [];
  return [
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
