import { clusterName } from './names.ts';
import { durationOf } from './proto-duration.ts';

/** A receiver that does not answer costs what was to be sent, and nothing else. */
const timeoutMs = 5000;

/** A backend that takes OpenTelemetry by gRPC. */
export const otlpReceiver = (backend: string) => ({
  targetSpecifier: { case: 'envoyGrpc' as const, value: { clusterName: clusterName(backend) } },
  timeout: durationOf(timeoutMs),
});
