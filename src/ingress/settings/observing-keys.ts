import { type Setting, same } from './setting.ts';

const log = {
  verdict: 'differs',
  becomes: 'ListenerPolicy or DataPlane `accessLog`',
  why: 'lines are JSON with names of fields; a log is off by default',
} as const;
const tracing = {
  verdict: 'differs',
  becomes: 'ListenerPolicy `tracing`',
  why: 'spans go to a Service by OTLP',
} as const;
/** Keys of the ConfigMap about logs and spans. */
export const observing: readonly Setting[] = [
  ...same(
    [
      'log-format-upstream',
      'log-format-stream',
      'log-format-escape-none=false',
      'log-format-escape-json=false',
      'access-log-path',
      'access-log-params',
      'http-access-log-path',
      'stream-access-log-path',
      'skip-access-log-urls',
      'disable-access-log=false',
      'disable-http-access-log=false',
      'disable-stream-access-log=false',
      'enable-access-log-for-default-backend=false',
      'enable-syslog=false',
      'syslog-host',
      'syslog-port=514',
      'error-log-path',
      'error-log-level=notice',
    ],
    log,
  ),
  ...same(
    [
      'enable-opentelemetry=false',
      'opentelemetry-operation-name',
      'opentelemetry-trust-incoming-span=true',
      'opentelemetry-config',
      'otlp-collector-host',
      'otlp-collector-port=4317',
      'otel-max-queuesize',
      'otel-schedule-delay-millis',
      'otel-max-export-batch-size',
      'otel-service-name=nginx',
      'otel-sampler',
      'otel-sampler-parent-based',
      'otel-sampler-ratio',
    ],
    tracing,
  ),
];
