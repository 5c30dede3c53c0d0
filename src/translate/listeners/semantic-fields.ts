/**
 * Fields of the access log under names of OpenTelemetry's semantic conventions, so that a backend that knows those needs no mapping.
 * Source: https://opentelemetry.io/docs/specs/semconv/http/http-spans/ and …/http-metrics/.
 *
 * CEL fails where something is not there, such as the name of a route that was not found. The value is then null in JSON and `-` by OTLP, as with other
 * fields. A null of CEL would be the text `NULL` by OTLP.
 */

/** Short names of response flags. The bit of each in CEL's `response.flags` is its place here. Source: Envoy's CoreResponseFlag. */
const flags = [
  'LH',
  'UH',
  'UT',
  'LR',
  'UR',
  'UF',
  'UC',
  'UO',
  'NR',
  'DI',
  'FI',
  'RL',
  'UAEX',
  'RLSE',
  'DC',
  'URX',
  'SI',
  'IH',
  'DPE',
  'UMSDR',
  'RFCF',
  'NFCF',
  'DT',
  'UPE',
  'NC',
  'OM',
  'DF',
  'DR',
] as const;

/** The lowest bit of those from `from` to before `to` that is set, as one is. By halves: CEL takes no expression of 28 levels. */
function lowest(from: number, to: number): string {
  if (to - from === 1) return `'${flags[from]}'`;
  const middle = (from + to) >> 1;
  return `(response.flags % ${2 ** middle} != 0 ? ${lowest(from, middle)} : ${lowest(middle, to)})`;
}

/** Fails. */
const nothing = "['none'][1]";

/** One name, since conventions ask for few different values: of several flags the first of the list. */
const firstFlag = `response.flags % ${2 ** flags.length} == 0 ? ${nothing} : ${lowest(0, flags.length)}`;

const cel = (expression: string): string => `%TYPED_CEL(${expression})%`;

/** The name of a route is `KIND/NAMESPACE/NAME/rule/NUMBER/match/NUMBER`. The proxy's own have two parts: `gatewright/not-found`. */
const part = (at: number): string => `xds.route_name.split('/')[${at}]`;

export const semanticFields: Readonly<Record<string, string>> = {
  'http.request.method': '%REQUEST_HEADER(:METHOD)%',
  'url.path': '%PATH(NQ:ORIG_OR_PATH)%',
  'server.address': cel(
    "request.host.startsWith('[') ? request.host.substring(1).split(']')[0] : request.host.split(':')[0]",
  ),
  'client.address': '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%',
  'network.protocol.version': cel("request.protocol.split('/')[1]"),
  'http.response.status_code': '%RESPONSE_CODE%',
  // Seconds. CEL gives a duration as text, or as its whole seconds and the milliseconds beside them.
  'http.server.request.duration': cel(
    'double(request.duration.getSeconds()) + double(request.duration.getMilliseconds()) / 1000.0',
  ),
  // Nearly all requests have no flag, and end at the first comparison.
  'error.type': cel(firstFlag),
  'gatewright.route': cel(`${part(0)} + '/' + ${part(1)} + '/' + ${part(2)}`),
  'gatewright.rule': cel(`int(${part(4)})`),
};
