import { create, type JsonObject } from '@bufbuild/protobuf';
import { packAny, StdoutAccessLogSchema } from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';

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

/** A connection manager's access logs: on standard output, among the lines of the agent, which are JSON too. */
export function accessLogs(log: ir.AccessLog | undefined) {
  if (!log) return [];
  const message = create(StdoutAccessLogSchema, {
    accessLogFormat: { case: 'logFormat', value: { format: { case: 'jsonFormat', value: lineOf(log) } } },
  });
  return [
    {
      name: 'envoy.access_loggers.stdout',
      configType: { case: 'typedConfig' as const, value: packAny(StdoutAccessLogSchema, message) },
    },
  ];
}

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
