import { isIP } from 'node:net';
import { ruleLabel, shownObject } from '../../gateway-api/index.ts';
import { CliError } from '../kit/cli-error.ts';
import { limitText } from '../kit/limits.ts';
import { pickLine } from '../kit/pick-words.ts';
import { table } from '../kit/table.ts';
import type { Wire } from '../kit/wire.ts';

export interface RouteTestOptions {
  readonly request?: string | undefined;
  readonly header: readonly string[];
  readonly from?: string;
  readonly certSan?: readonly string[];
  readonly certSubject?: string;
  readonly token?: string;
  readonly gateway?: string;
  readonly serverName?: string;
}

const schemes: ReadonlySet<string> = new Set(['http', 'https']);

/** The body of `POST /v1/route-test` for what was written at the terminal: `HOST[:PORT]/PATH` or a URL. */
export function routeTestBody(
  target: string,
  { request, header, from, certSan = [], certSubject, token, gateway, serverName }: RouteTestOptions,
): object {
  const written = /^(?:(?<scheme>[a-z]+):\/\/)?(?<host>(?:\[[^\]]*\]|[^/:?]+))(?::(?<port>\d+))?(?<path>[/?].*)?$/i;
  const { scheme = 'http', host, port, path = '/' } = written.exec(target)?.groups ?? {};
  if (host === undefined || !schemes.has(scheme.toLowerCase()))
    throw new CliError(`${JSON.stringify(target)} is not a request: write HOST/PATH, or http://HOST:PORT/PATH`);
  return {
    scheme: scheme.toLowerCase(),
    host: port === undefined ? host : `${host}:${port}`,
    ...(port !== undefined && { port: Number(port) }),
    path: path.startsWith('/') ? path : `/${path}`,
    method: request ?? 'GET',
    headers: headersOf(header),
    ...(from !== undefined && { from }),
    ...((certSan.length > 0 || certSubject !== undefined) && { certificate: certificateOf(certSan, certSubject) }),
    ...(token !== undefined && { token }),
    ...(gateway !== undefined && { gateway }),
    ...(serverName !== undefined && { serverName }),
  };
}

function certificateOf(names: readonly string[], subject: string | undefined): object {
  const { dns = [], uris = [], emails = [], ips = [] } = Object.groupBy(names, sortOf);
  return { dns, uris, emails, ips, ...(subject !== undefined && { subject }) };
}

/** A URI has a scheme, and a DNS name neither colon nor `@`. */
function sortOf(name: string): 'dns' | 'uris' | 'emails' | 'ips' {
  if (isIP(name) !== 0) return 'ips';
  if (name.includes(':')) return 'uris';
  return name.includes('@') ? 'emails' : 'dns';
}

function headersOf(lines: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const { name, value } = /^(?<name>[^:\s]+):\s*(?<value>.*?)\s*$/.exec(line)?.groups ?? {};
    if (name === undefined || value === undefined)
      throw new CliError(`header ${JSON.stringify(line)} is not NAME: VALUE`);
    headers[name] = [...(headers[name] ?? []), value];
  }
  return headers;
}

type Result = Wire['routeTest'];

/** The outcome first; then what was looked at, and what to look at next. */
export function routeTestText(result: Result): string {
  const { gateway, port, listener, candidates, candidateCount, hints, alsoAt } = result;
  const place = `Gateway ${gateway.namespace}/${gateway.name}, port ${port}${listener ? `, listener ${listener}` : ''}`;
  const missing = candidateCount - candidates.length;
  return [
    `${headline(result)}`,
    place,
    ...(result.route ? [`route    ${matchName(result.route)}, host ${result.route.host}`] : []),
    ...result.backends.map((backend) => `backend  ${backendText(backend)}`),
    ...(result.forwarded ? [`as       ${result.forwarded.host ?? ''}${result.forwarded.path}`] : []),
    ...(result.filters && Object.keys(result.filters).length > 0 ? [`does     ${JSON.stringify(result.filters)}`] : []),
    ...accessLines(result),
    ...policyLines(result),
    ...limitLines(result),
    ...(candidates.length > 0 ? ['', candidateTable(candidates)] : []),
    ...(missing > 0 ? [`… and ${missing} more that do not match`] : []),
    ...(hints.length > 0 ? ['', ...hints.map((hint) => `hint: ${hint}`)] : []),
    ...alsoAt.map(({ gateway: { namespace, name }, outcome }) => `also at Gateway ${namespace}/${name}: ${outcome}`),
  ].join('\n');
}

function headline({ outcome, status, reason, location }: Result): string {
  if (outcome === 'forward') return `forwarded: ${reason}`;
  return `${status || 'no answer'}: ${reason}${location === null ? '' : ` to ${location}`}`;
}

type Match = Omit<NonNullable<Result['route']>, 'host' | 'ruleName'> & { readonly ruleName?: string | null };

/** A control plane of an older release does not say names of rules. */
const matchName = ({ kind, namespace, name, rule, ruleName, match }: Match): string =>
  `${shownObject(kind, `${namespace}/${name}`)} rule ${ruleLabel(rule, ruleName)} match ${match}`;

function backendText({
  namespace,
  service,
  port,
  share,
  endpoints,
  picker,
  status,
  failing,
}: Result['backends'][number]): string {
  const percent = `${Math.round(share * 1_000) / 10} %`;
  if (service === null) return `${percent} to a reference that does not resolve: ${status}`;
  const ready = endpoints === null ? 'by DNS' : `${endpoints} ready${picker ? pickerText(picker) : ''}`;
  // A control plane of an older release says nothing of it.
  const trouble = failing ? `; FAILING since ${failing.since}: ${failing.message}` : '';
  // An AIService that is a pool has no port of its own.
  const name = port === 0 ? service : `${service}:${port}`;
  return `${percent} to ${namespace}/${name} (${ready}${status === null ? '' : `: ${status}`}${trouble})`;
}

/** A control plane of an older release does not say what it picked lately. */
function pickerText({ service, failureMode, lately = [] }: NonNullable<Result['backends'][number]['picker']>): string {
  const picks = lately.map(({ outcome, endpoint, requests }) => `; lately ${pickLine(outcome, endpoint, requests)}`);
  return `, picked by ${service}; without it ${failureMode === 'FailOpen' ? 'any' : '503'}${picks.join('')}`;
}

/** A control plane of an older release says nothing of it. */
function accessLines({ access }: Result): string[] {
  const parts = access?.parts ?? [];
  if (parts.length === 0) return [];
  return [
    '',
    'Access',
    table(parts, [
      { heading: 'part', cell: ({ part }) => part },
      { heading: 'level', cell: ({ level }) => level },
      { heading: 'policy', cell: ({ policy }) => (policy ? `${policy.namespace}/${policy.name}` : '') },
      { heading: 'verdict', cell: verdictText },
      { heading: 'why', cell: ({ reason }) => reason },
    ]),
  ];
}

/** A control plane of an older release says nothing of it. */
const policyLines = ({ policies = [] }: Partial<Pick<Result, 'policies'>>): string[] =>
  policies.map(({ group, value, from, overrides }) => {
    const instead = overrides.map(({ namespace, name }) => `${namespace}/${name}`).join(', ');
    const what = value === null ? 'disabled' : JSON.stringify(value);
    return `policy   ${group} ${what} of ${from.level}, ${from.kind} ${from.namespace}/${from.name}${instead && `; instead of ${instead}`}`;
  });

/** A control plane of an older release says nothing of it. */
const limitLines = ({ limits = [] }: Partial<Pick<Result, 'limits'>>): string[] =>
  limits.map((limit) => `limit    ${limitText(limit)}`);

type JudgedPart = NonNullable<Result['access']>['parts'][number];

function verdictText({ verdict, status, reached }: JudgedPart): string {
  const text = verdict === 'denies' ? `denies ${status}` : verdict;
  return reached ? text : `(${text})`;
}

const candidateTable = (candidates: Result['candidates']): string =>
  table(candidates, [
    { heading: '', cell: ({ outcome }) => (outcome === 'chosen' ? '*' : ' ') },
    { heading: 'host', cell: ({ host }) => host },
    { heading: 'match', cell: matchName },
    { heading: 'why not', cell: ({ reason }) => reason ?? '' },
  ]);
