import type { ExampleRequest } from './example.ts';
import type { Answer } from './send.ts';

/** One request and how it was answered, for people: what makes it different from the others, and who answered how often. */
export function describeRequest(request: ExampleRequest, answers: readonly Answer[]): string {
  const {
    scheme = 'http',
    method = 'GET',
    grpc,
    http3,
    host,
    path,
    headers = {},
    bodyBytes,
    body,
    sni,
    repeat,
  } = request;
  const protocol = grpc ? 'gRPC ' : http3 ? 'HTTP/3 ' : scheme === 'https' ? 'HTTPS ' : '';
  const sent = [
    ...(sni === undefined || sni === host ? [] : [`server name ${sni}`]),
    ...(bodyBytes === undefined ? [] : [`${bodyBytes} bytes`]),
    ...(body === undefined ? [] : [body]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const how = sent.length === 0 ? '' : ` (${sent.join(', ')})`;
  const often = repeat === undefined ? '' : `, ${answers.length} times`;
  const copies =
    request.expect.copies === undefined ? '' : `, a copy to ${request.expect.copies.join(' and ') || 'none'}`;
  const endpoints = repeat === undefined || request.expect.endpoints === undefined ? '' : endpointsText(answers);
  const outcome = `${outcomeOf(answers)}${endpoints}${copies}${detailsOf(request, answers)}`;
  return `${protocol}${method === 'GET' ? '' : `${method} `}${host}${path}${how}${often} -> ${outcome}`;
}

function outcomeOf(answers: readonly Answer[]): string {
  const [first] = answers;
  const grpc = first?.grpcStatus === undefined ? '' : `, grpc-status ${first.grpcStatus}`;
  const location = first?.headers.location === undefined ? '' : `, to ${first.headers.location}`;
  const status = [...new Set(answers.map((answer) => answer.status))].join(' and ');
  return `${status}${grpc}${location}${backendsText(answers)}`;
}

/** What the example is about, as far as it says so: what the backend saw, headers and certificate of the answer. */
function detailsOf({ path, expect }: ExampleRequest, [first]: readonly Answer[]): string {
  const details = [
    ...(expect.path === undefined || expect.path === path ? [] : [`which saw ${first?.echo?.path}`]),
    ...Object.keys(expect.sees ?? {}).map((name) => `saw ${name}: ${first?.echo?.headers[name]}`),
    ...Object.keys(expect.headers ?? {})
      .filter((name) => name !== 'location')
      .map((name) => `${name}: ${first?.headers[name]}`),
    ...(expect.without ?? []).map((name) => `no ${name}`),
    ...(expect.certificate === undefined ? [] : [`certificate of ${first?.certificate}`]),
  ];
  return details.map((detail) => `, ${detail}`).join('');
}

function endpointsText(answers: readonly Answer[]): string {
  const { size } = new Set(answers.map(({ echo }) => echo?.port));
  return `, ${size} endpoint${size === 1 ? '' : 's'}`;
}

/** `by shop-v1`, or with several `by shop-v1 91 %, shop-v2 9 %`. */
function backendsText(answers: readonly Answer[]): string {
  const groups = Map.groupBy(answers, ({ echo }) => echo?.backend);
  groups.delete(undefined);
  const shares = [...groups].sort(([, a], [, b]) => b.length - a.length);
  if (shares.length === 0) return '';
  if (shares.length === 1) return ` by ${shares[0]?.[0]}`;
  const parts = shares.map(([name, its]) => `${name} ${Math.round((its.length / answers.length) * 100)} %`);
  return ` by ${parts.join(', ')}`;
}
