import { create, type JsonObject } from '@bufbuild/protobuf';
import { OpenTelemetryAccessLogConfigSchema, packAny, StdoutAccessLogSchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { otlpReceiver } from './otlp.ts';

/** What each field is to Envoy. Paths without their query, in which people put what should not be in a log. */
const formats: Readonly<Record<string, string>> = {
  start_time: '%START_TIME%',
  method: '%REQUEST_HEADER(:METHOD)%',
  authority: '%REQUEST_HEADER(:AUTHORITY)%',
  path: '%PATH(NQ:ORIG_OR_PATH)%',
  protocol: '%PROTOCOL%',
  response_code: '%RESPONSE_CODE%',
  response_code_details: '%RESPONSE_CODE_DETAILS%',
  response_flags: '%RESPONSE_FLAGS%',
  bytes_received: '%BYTES_RECEIVED%',
  bytes_sent: '%BYTES_SENT%',
  duration: '%DURATION%',
  upstream_service_time: '%RESPONSE_HEADER(X-ENVOY-UPSTREAM-SERVICE-TIME)%',
  upstream_host: '%UPSTREAM_HOST%',
  upstream_cluster: '%UPSTREAM_CLUSTER%',
  route_name: '%ROUTE_NAME%',
  downstream_remote_address: '%DOWNSTREAM_REMOTE_ADDRESS%',
  requested_server_name: '%REQUESTED_SERVER_NAME%',
  x_forwarded_for: '%REQUEST_HEADER(X-FORWARDED-FOR)%',
  user_agent: '%REQUEST_HEADER(USER-AGENT)%',
  request_id: '%REQUEST_HEADER(X-REQUEST-ID)%',
};

/** A connection manager's access logs. */
export function accessLogs(log: ir.AccessLog | undefined) {
  if (!log) return [];
  const { stdout, otlp } = log.sinks ?? { stdout: true };
  return [...(stdout ? [onStdout(log)] : []), ...(otlp === undefined ? [] : [byOtlp(log, otlp)])];
}

/** Among the lines of the agent, which are JSON too. */
function onStdout(log: ir.AccessLog) {
  const message = create(StdoutAccessLogSchema, {
    accessLogFormat: { case: 'logFormat', value: { format: { case: 'jsonFormat', value: lineOf(log) } } },
  });
  return {
    name: 'envoy.access_loggers.stdout',
    configType: { case: 'typedConfig' as const, value: packAny(StdoutAccessLogSchema, message) },
  };
}

/** The same fields, as attributes of a log record; those of headers with their kind before their name. */
function byOtlp(log: ir.AccessLog, receiver: ir.OtlpReceiver) {
  const line = lineOf(log);
  const values = Object.entries(line).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [attribute(key, value)]
      : Object.entries(value as JsonObject).map(([name, format]) => attribute(`${key}.${name}`, String(format))),
  );
  const message = create(OpenTelemetryAccessLogConfigSchema, {
    grpcService: otlpReceiver(receiver),
    logName: 'gatewright_access_log',
    resourceAttributes: { values: [attribute('service.name', 'gatewright')] },
    attributes: { values },
  });
  return {
    name: 'envoy.access_loggers.open_telemetry',
    configType: { case: 'typedConfig' as const, value: packAny(OpenTelemetryAccessLogConfigSchema, message) },
  };
}

const attribute = (key: string, value: string) => ({
  key,
  value: { value: { case: 'stringValue' as const, value } },
});

function lineOf({
  fields = Object.keys(formats),
  requestHeaders = [],
  responseHeaders = [],
}: ir.AccessLog): JsonObject {
  const known = fields.flatMap((field) => {
    const format = formats[field];
    return format === undefined ? [] : [[field, format] as const];
  });
  const headers = (names: readonly string[], operator: string): JsonObject =>
    Object.fromEntries(names.map((name) => [name.toLowerCase(), `%${operator}(${name})%`]));
  return {
    ...Object.fromEntries(known),
    ...(requestHeaders.length > 0 && { request_headers: headers(requestHeaders, 'REQUEST_HEADER') }),
    ...(responseHeaders.length > 0 && { response_headers: headers(responseHeaders, 'RESPONSE_HEADER') }),
  };
}
