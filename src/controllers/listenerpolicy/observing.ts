import type { ObjectByKind } from '../../gateway-api/index.ts';
import { resolveBackend } from '../../graph/backends/index.ts';
import type { Store } from '../../graph/engine/index.ts';
import { type ConditionFault, defined, logConditions, logFaults } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { spanTagsOf } from '../policies/index.ts';

type Policy = ObjectByKind['ListenerPolicy'];
type LogSpec = NonNullable<Policy['spec']['accessLog']>;
type TracingSpec = NonNullable<Policy['spec']['tracing']>;

interface Destination {
  readonly backendRef: { readonly name: string; readonly port: number };
}

/** Where a policy sends lines and spans to. */
export const destinationsOf = ({ spec: { accessLog, tracing } }: Policy): readonly Destination[] =>
  [accessLog?.otlp, accessLog?.grpc, tracing?.otlp, tracing?.zipkin, tracing?.datadog].flatMap((found) => found ?? []);

/** What is wrong with what a policy says of its access log. */
export function logFaultsOf({ spec: { accessLog } }: Policy): readonly ConditionFault[] {
  const faults = logFaults(accessLog?.when);
  if (faults.length === 0) return [];
  return [{ reason: 'Invalid', message: `${faults.join('; ')}; until then all requests are logged` }];
}

/** The access log and the tracing of a policy, with what their receivers are. */
interface Observing {
  readonly accessLog?: ir.AccessLog | 'off';
  readonly tracing?: ir.Tracing;
  readonly backends: readonly string[];
  readonly faults: readonly ConditionFault[];
}

export function observingOf(policy: Policy, store: Store): Observing {
  const { accessLog, tracing } = policy.spec;
  const isLogged = accessLog?.enabled ?? false;
  const otlp = receiverOf(policy, isLogged ? accessLog?.otlp : undefined, store);
  const grpc = receiverOf(policy, isLogged ? accessLog?.grpc : undefined, store);
  const spans = spansOf(policy, store);
  return {
    ...(accessLog && { accessLog: accessLogOf(accessLog, otlp.receiver, grpc.receiver) }),
    ...(tracing && spans.receiver && { tracing: tracingOf(tracing, spans.receiver) }),
    backends: [otlp, grpc, spans].flatMap(({ receiver }) => receiver?.backend ?? []),
    faults: [otlp, grpc, spans].flatMap(({ fault }) => fault ?? []),
  };
}

interface Receiver {
  readonly receiver?: ir.OtlpReceiver;
  readonly fault?: ConditionFault;
}

/** Zipkin and Datadog speak HTTP/1.1. */
function spansOf(policy: Policy, store: Store): Receiver {
  const { otlp, zipkin, datadog } = policy.spec.tracing ?? {};
  return otlp ? receiverOf(policy, otlp, store) : receiverOf(policy, zipkin ?? datadog, store, {});
}

/** gRPC is HTTP/2. */
function receiverOf(
  { metadata }: Policy,
  destination: Destination | undefined,
  store: Store,
  variant: { readonly http2?: true } = { http2: true },
): Receiver {
  if (!destination) return {};
  const user = { kind: 'ListenerPolicy', namespace: metadata.namespace ?? '', variant };
  const resolved = resolveBackend(destination.backendRef, user, store);
  if ('fault' in resolved) return { fault: resolved.fault };
  return { receiver: { backend: resolved.key, authority: `${destination.backendRef.name}.${user.namespace}` } };
}

const defaultLogName = 'gatewright_access_log';

/** Expressions that are wrong choose nothing: all requests are logged then. A receiver that is not there takes the lines with it, unless they are wanted elsewhere too. */
function accessLogOf(
  { enabled, fields, requestHeaders, responseHeaders, text, when, byRoute, stdout, otlp, grpc }: LogSpec,
  otlpReceiver: ir.OtlpReceiver | undefined,
  grpcReceiver: ir.OtlpReceiver | undefined,
): ir.AccessLog | 'off' {
  const sinks: ir.AccessLogSinks = {
    stdout: stdout ?? (otlp === undefined && grpc === undefined),
    ...(otlpReceiver && { otlp: otlpReceiver }),
    ...(grpcReceiver && { grpc: { receiver: grpcReceiver, name: grpc?.logName ?? defaultLogName } }),
  };
  if (!enabled || (!sinks.stdout && !sinks.otlp && !sinks.grpc)) return 'off';
  const conditions = when && logFaults(when).length === 0 ? logConditions(when) : undefined;
  return {
    ...defined<Omit<ir.AccessLog, 'sinks'>>({
      fields,
      requestHeaders,
      responseHeaders,
      text,
      when: conditions,
      byRoute: byRoute || undefined,
    }),
    sinks,
  };
}

const zipkinPath = '/api/v2/spans';

function tracingOf(
  {
    samplingPercent = 100,
    serviceName = 'gatewright',
    requestHeaders = [],
    zipkin,
    datadog,
    tags,
    spanName,
  }: TracingSpec,
  receiver: ir.OtlpReceiver,
): ir.Tracing {
  return {
    receiver,
    ...(zipkin && { by: { kind: 'zipkin', path: zipkin.path ?? zipkinPath } }),
    ...(datadog && { by: { kind: 'datadog' } }),
    samplingPercent,
    serviceName,
    requestHeaders,
    ...(tags && { tags: spanTagsOf(tags) }),
    ...(spanName !== undefined && { spanName }),
  };
}
