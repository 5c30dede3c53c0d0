import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  CodecClientType,
  type HealthCheckSchema,
  type OutlierDetectionSchema,
  RequestMethod,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { durationOf } from '../resource/index.ts';

/** Checks by Envoy itself. */
export function activeCheck(
  {
    intervalMs,
    timeoutMs,
    initialJitterMs,
    jitterPercent,
    unhealthyThreshold,
    healthyThreshold,
    probe,
  }: ir.ActiveCheck,
  name: string,
  protocol: ir.BackendProtocol,
): MessageInitShape<typeof HealthCheckSchema> {
  const interval = durationOf(intervalMs);
  return {
    timeout: durationOf(timeoutMs),
    interval,
    // By default it is a minute while no request has been made, in which the first clients would meet what is not well.
    noTrafficInterval: interval,
    ...(initialJitterMs !== undefined && { initialJitter: durationOf(initialJitterMs) }),
    ...(jitterPercent !== undefined && { intervalJitterPercent: jitterPercent }),
    unhealthyThreshold: unhealthyThreshold,
    healthyThreshold: healthyThreshold,
    healthChecker: checker(probe, name, protocol),
    // Whether connections are taken is what a TCP check asks; and a server that ends one after its answer would be called failed.
    reuseConnection: probe.kind !== 'tcp',
  };
}

function checker(
  probe: ir.HealthProbe,
  name: string,
  protocol: ir.BackendProtocol,
): MessageInitShape<typeof HealthCheckSchema>['healthChecker'] {
  switch (probe.kind) {
    case 'http':
      return {
        case: 'httpHealthCheck',
        value: {
          path: probe.path,
          host: probe.host ?? name,
          method: RequestMethod[probe.method],
          // By its own default Envoy asks by HTTP/1.1, which a server of HTTP/2 does not answer.
          ...(protocol === 'h2c' && { codecClientType: CodecClientType.HTTP2 }),
          expectedStatuses: probe.statuses.map(range),
          ...(probe.retriable && { retriableStatuses: probe.retriable.map(range) }),
          ...(probe.body !== undefined && { send: text(probe.body) }),
          ...(probe.expectedBody !== undefined && { receive: [text(probe.expectedBody)] }),
        },
      };
    case 'grpc':
      return { case: 'grpcHealthCheck', value: { serviceName: probe.service ?? '', authority: name } };
    case 'tcp':
      return {
        case: 'tcpHealthCheck',
        value: {
          ...(probe.send !== undefined && { send: text(probe.send) }),
          receive: probe.receive === undefined ? [] : [text(probe.receive)],
        },
      };
  }
}

/** Envoy leaves the end out. */
const range = ({ from, to }: { readonly from: number; readonly to: number }) => ({
  start: BigInt(from),
  end: BigInt(to + 1),
});

const text = (value: string) => ({ payload: { case: 'text' as const, value: Buffer.from(value).toString('hex') } });

/** Envoy's own rules by success rate need more traffic than most backends have, and no user set them: they are switched off. */
export function outlierDetection(check: ir.PassiveCheck): MessageInitShape<typeof OutlierDetectionSchema> {
  const { consecutiveLocalOriginFailures: localFailures, failures } = check;
  return {
    consecutive5xx: check.consecutive5xx,
    enforcingConsecutive5xx: check.consecutive5xx === 0 ? 0 : 100,
    consecutiveGatewayFailure: check.consecutiveGatewayErrors,
    enforcingConsecutiveGatewayFailure: check.consecutiveGatewayErrors === 0 ? 0 : 100,
    ...(localFailures !== undefined && {
      splitExternalLocalOriginErrors: true,
      consecutiveLocalOriginFailure: localFailures,
      enforcingConsecutiveLocalOriginFailure: 100,
    }),
    enforcingSuccessRate: 0,
    enforcingLocalOriginSuccessRate: 0,
    ...(failures && {
      failurePercentageThreshold: failures.percent,
      enforcingFailurePercentage: 100,
      ...(localFailures !== undefined && { enforcingFailurePercentageLocalOrigin: 100 }),
      failurePercentageRequestVolume: failures.minRequests,
      failurePercentageMinimumHosts: failures.minEndpoints,
    }),
    interval: durationOf(check.intervalMs),
    baseEjectionTime: durationOf(check.baseEjectionMs),
    maxEjectionTime: durationOf(check.maxEjectionMs),
    maxEjectionPercent: check.maxEjectionPercent,
    // One may always be, even of two with 10 percent.
    alwaysEjectOneHost: true,
  };
}
