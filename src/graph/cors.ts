import type * as ir from '../ir/index.ts';
import type { FilterSpec } from './filter.ts';

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

const wildcardRegex = (value: string): string =>
  value
    .split('*')
    .map((part) => part.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&'))
    .join(anyLabels);

/** A match of preflights, and the rule that answers them. */
interface Preflight {
  readonly match: ir.RouteMatch;
  readonly rule: ir.RouteRule;
}

/**
 * A preflight has method OPTIONS and none of the headers of the request it asks for, so a match of another method, or of
 * headers, would never see one: this is the match by which it finds the rule. Source: Fetch, CORS-preflight.
 */
export function preflightsOf(match: ir.RouteMatch, rule: ir.RouteRule): readonly Preflight[] {
  const { cors } = rule;
  if (!cors) return [];
  const ofMethod = match.method !== undefined && match.method !== 'OPTIONS';
  // Envoy echoes what was asked for, and where nothing was a header without a value, which is to be left out.
  const echoes = cors.requestHeaders.includes('*');
  if (!ofMethod && !echoes) return [];
  const asked: ir.ValueMatch = ofMethod ? { kind: 'exact', value: match.method as string } : present;
  const any = {
    ...match,
    method: 'OPTIONS',
    headers: [
      ...(ofMethod ? [] : match.headers),
      { name: 'origin', match: present },
      { name: 'access-control-request-method', match: asked },
    ],
  };
  if (!echoes) return [{ match: any, rule }];
  const headers = [...any.headers, { name: 'access-control-request-headers', match: present }];
  return [
    { match: { ...any, headers }, rule },
    { match: any, rule: { ...rule, cors: { ...cors, requestHeaders: [] } } },
  ];
}

const present: ir.ValueMatch = { kind: 'regex', value: '.+' };
