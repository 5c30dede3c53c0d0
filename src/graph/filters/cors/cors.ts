import * as ir from '../../../ir/index.ts';
import type { FilterSpec } from '../filter.ts';

type CorsFilter = NonNullable<FilterSpec['cors']>;

/** Source: HTTPCORSFilter.maxAge, its default. */
const defaultMaxAgeSeconds = 5;

/** What a CORS filter comes to. Source: Gateway API, HTTPCORSFilter. */
export function corsOf(filter: CorsFilter): ir.Cors {
  const credentials = filter.allowCredentials ?? false;
  const exposed = filter.exposeHeaders ?? [];
  return {
    origins: (filter.allowOrigins ?? []).map(originMatch),
    methods: filter.allowMethods ?? [],
    requestHeaders: filter.allowHeaders ?? [],
    // Beside credentials a browser would take `*` for the name of a header, and the specification forbids to send it.
    exposedHeaders: credentials ? exposed.filter((name) => name !== '*') : exposed,
    credentials,
    maxAgeSeconds: filter.maxAge ?? defaultMaxAgeSeconds,
  };
}

const impliedPorts = { http: '80', https: '443' } as const;

/**
 * Browsers leave the scheme's own port out of Origin, so it is left out of what is compared. A wildcard stands for any
 * number of labels to its left, not for a port.
 */
function originMatch(origin: string): ir.ValueMatch {
  if (origin === '*') return { kind: 'regex', value: '.*' };
  const [, scheme = '', host = '', port] = /^(https?):\/\/(.*?)(?::([0-9]+))?$/i.exec(origin) ?? [];
  if (scheme === '') return { kind: 'exact', value: origin };
  const lower = scheme.toLowerCase() as keyof typeof impliedPorts;
  const value = `${lower}://${host.toLowerCase()}${port === undefined || port === impliedPorts[lower] ? '' : `:${port}`}`;
  return value.includes('*') ? { kind: 'regex', value: wildcardRegex(value) } : { kind: 'exact', value };
}

const anyLabels = '[^/:]+';

const wildcardRegex = (value: string): string => value.split('*').map(ir.literalPattern).join(anyLabels);

/** A match of preflights, and the rule that answers them. */
interface Preflight {
  readonly match: ir.RouteMatch;
  readonly rule: ir.RouteRule;
}

/**
 * A preflight has method OPTIONS and none of the headers of the request it asks for, so a match of another method, or of
 * headers, would never see one: these are the matches by which it finds the rule. What it tells of the request is its method and
 * the names of its headers, which is what rules for one path can be told apart by. Source: Fetch, CORS-preflight.
 */
export function preflightsOf(match: ir.RouteMatch, rule: ir.RouteRule): readonly Preflight[] {
  if (!rule.cors) return [];
  const { method, headers } = match;
  if (method !== undefined && method !== 'OPTIONS')
    return answers(preflight(match, [], { kind: 'exact', value: method }), rule, rule.cors);
  return [
    // The match itself is for such preflights too: they are told apart for the answer only.
    ...(echoes(rule.cors) ? answers(preflight(match, headers, present), rule, rule.cors) : []),
    ...(headers.length > 0 ? [{ match: preflight(match, headers.map(announced), present), rule }] : []),
  ];
}

const preflight = (match: ir.RouteMatch, told: ir.RouteMatch['headers'], method: ir.ValueMatch): ir.RouteMatch => ({
  ...match,
  method: 'OPTIONS',
  headers: [...told, { name: 'origin', match: present }, { name: 'access-control-request-method', match: method }],
});

const echoes = ({ requestHeaders }: ir.Cors): boolean => requestHeaders.includes('*');

/** Envoy echoes what was asked for, and where nothing was a header without a value, which is to be left out. */
function answers(match: ir.RouteMatch, rule: ir.RouteRule, cors: ir.Cors): readonly Preflight[] {
  if (!echoes(cors)) return [{ match, rule }];
  return [
    { match: { ...match, headers: [...match.headers, { name: requestHeaders, match: present }] }, rule },
    { match, rule: { ...rule, cors: { ...cors, requestHeaders: [] } } },
  ];
}

const requestHeaders = 'access-control-request-headers';

/** Of a header of the request to come, a preflight tells the name: in small letters, among others. */
const announced = ({ name }: { readonly name: string }) => ({
  name: requestHeaders,
  match: { kind: 'regex' as const, value: `(.*,)?\\s*${ir.literalPattern(name.toLowerCase())}\\s*(,.*)?` },
});

const present: ir.ValueMatch = { kind: 'regex', value: '.+' };
