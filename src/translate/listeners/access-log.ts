import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf';
import { limitMetadata, quotingDetails } from '../../contracts/index.ts';
import {
  type AccessLogSchema,
  ApiVersion,
  HttpGrpcAccessLogConfigSchema,
  OpenTelemetryAccessLogConfigSchema,
  packAny,
  StdoutAccessLogSchema,
  type SubstitutionFormatStringSchema,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { celFormatter, formatOfText, routeTagsFormat } from '../resource/index.ts';
import { fingerprintFields } from './fingerprints.ts';
import { logFilter } from './log-filter.ts';
import { otlpReceiver } from './otlp.ts';
import { semanticFields } from './semantic-fields.ts';

/** As `%RESPONSE_CODE_DETAILS%`, but for what words for denied logins quote of a request: see quotingDetails. */
const details = `%CEL((${quotingDetails
  .map((beginning) => `response.code_details.startsWith('${beginning}')`)
  .join(' || ')} ? response.code_details.split(': ')[0] : response.code_details).replace(' ', '_'))%`;

/** What each field is to Envoy. Paths without their query, in which people put what should not be in a log. */
const formats: Readonly<Record<string, string>> = {
  start_time: '%START_TIME%',
  method: '%REQUEST_HEADER(:METHOD)%',
  authority: '%REQUEST_HEADER(:AUTHORITY)%',
  path: '%PATH(NQ:ORIG_OR_PATH)%',
  protocol: '%PROTOCOL%',
  response_code: '%RESPONSE_CODE%',
  response_code_details: details,
  response_flags: '%RESPONSE_FLAGS%',
  bytes_received: '%BYTES_RECEIVED%',
  bytes_sent: '%BYTES_SENT%',
  duration: '%DURATION%',
  // Envoy's header with this time is sent only where a policy says so.
  upstream_service_time: '%COMMON_DURATION(US_TX_BEG:US_RX_BEG:ms)%',
  upstream_host: '%UPSTREAM_HOST%',
  upstream_cluster: '%UPSTREAM_CLUSTER%',
  route_name: '%ROUTE_NAME%',
  downstream_remote_address: '%DOWNSTREAM_REMOTE_ADDRESS%',
  requested_server_name: '%REQUESTED_SERVER_NAME%',
  x_forwarded_for: '%REQUEST_HEADER(X-FORWARDED-FOR)%',
  user_agent: '%REQUEST_HEADER(USER-AGENT)%',
  request_id: '%REQUEST_HEADER(X-REQUEST-ID)%',
  ...semanticFields,
  // A backend can write the header that names the bucket, but not this detail.
  'gatewright.limit': `%TYPED_CEL(response.code_details == 'local_rate_limited' ? metadata.filter_metadata['${limitMetadata.namespace}']['${limitMetadata.rejected}'] : ['none'][1])%`,
  'gatewright.limit_shadow': `%DYNAMIC_METADATA(${limitMetadata.namespace}:${limitMetadata.shadowed})%`,
};

const allFields = [...Object.keys(formats), 'gatewright.gateway', 'gatewright.listener'];

type AccessLog = Extract<MessageInitShape<typeof AccessLogSchema>, { readonly $typeName?: never }>;

/** A connection manager's access logs. `table`: where its requests are looked up, which names its listener. */
export function accessLogs(log: ir.AccessLog | undefined, table: string): AccessLog[] {
  if (!log) return [];
  const { stdout, otlp, grpc }: ir.AccessLogSinks = log.sinks ?? { stdout: true };
  const line = lineOf(log, table);
  const logs: AccessLog[] = [
    ...(stdout ? [onStdout(formatOf(log, line, table))] : []),
    ...(otlp === undefined ? [] : [byOtlp(line, otlp)]),
    ...(grpc === undefined ? [] : [byGrpc(log, grpc)]),
  ];
  const filter = logFilter(log);
  return filter ? logs.map((each) => ({ ...each, filter })) : logs;
}

type LineFormat = MessageInitShape<typeof SubstitutionFormatStringSchema>;

function formatOf({ text, gateway }: ir.AccessLog, line: JsonObject, table: string): LineFormat {
  if (text === undefined) return { format: { case: 'jsonFormat', value: line }, formatters: formattersOf(line) };
  const inlineString = `${formatOfText(text, allFormats(table, gateway))}\n`;
  return {
    format: { case: 'textFormatSource', value: { specifier: { case: 'inlineString', value: inlineString } } },
    formatters: formattersOf({ inlineString }),
  };
}

/** Among the lines of the agent, which are JSON. */
function onStdout(value: LineFormat): AccessLog {
  const message = create(StdoutAccessLogSchema, { accessLogFormat: { case: 'logFormat', value } });
  return {
    name: 'envoy.access_loggers.stdout',
    configType: { case: 'typedConfig' as const, value: packAny(StdoutAccessLogSchema, message) },
  };
}

/** Envoy's own entries, with the headers that are asked for. */
function byGrpc(
  { requestHeaders = [], responseHeaders = [] }: ir.AccessLog,
  { receiver, name }: NonNullable<ir.AccessLogSinks['grpc']>,
): AccessLog {
  const message = create(HttpGrpcAccessLogConfigSchema, {
    commonConfig: { logName: name, grpcService: otlpReceiver(receiver), transportApiVersion: ApiVersion.V3 },
    additionalRequestHeadersToLog: requestHeaders.map((header) => header.toLowerCase()),
    additionalResponseHeadersToLog: responseHeaders.map((header) => header.toLowerCase()),
  });
  return {
    name: 'envoy.access_loggers.http_grpc',
    configType: { case: 'typedConfig' as const, value: packAny(HttpGrpcAccessLogConfigSchema, message) },
  };
}

/** The same fields, as attributes of a log record; those of headers with their kind before their name. */
function byOtlp(line: JsonObject, receiver: ir.OtlpReceiver): AccessLog {
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
    formatters: formattersOf(line),
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

/** Nothing for lines without CEL, so that they cost what they did. */
const formattersOf = (line: JsonObject) =>
  Object.values(line).some((format) => typeof format === 'string' && format.includes('CEL(')) ? [celFormatter] : [];

const allFormats = (table: string, gateway: string | undefined): Readonly<Record<string, string | undefined>> => ({
  ...formats,
  ...fingerprintFields,
  'gatewright.gateway': gateway,
  'gatewright.listener': table,
});

function lineOf(
  { fields = allFields, requestHeaders = [], responseHeaders = [], gateway, byRoute }: ir.AccessLog,
  table: string,
): JsonObject {
  const all = allFormats(table, gateway);
  const known = fields.flatMap((field) => {
    const format = all[field];
    return format === undefined ? [] : [[field, format] as const];
  });
  const headers = (names: readonly string[], operator: string): JsonObject =>
    Object.fromEntries(names.map((name) => [name.toLowerCase(), `%${operator}(${name})%`]));
  return {
    ...Object.fromEntries(known),
    ...(byRoute && { 'gatewright.tags': routeTagsFormat }),
    ...(requestHeaders.length > 0 && { request_headers: headers(requestHeaders, 'REQUEST_HEADER') }),
    ...(responseHeaders.length > 0 && { response_headers: headers(responseHeaders, 'RESPONSE_HEADER') }),
  };
}
