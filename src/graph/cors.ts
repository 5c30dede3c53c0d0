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

/**
 * A preflight has method OPTIONS and none of the headers of the request it asks for, so a match of another method, or of
 * headers, would never see one: this is the match by which it finds the rule.
 */
export function preflightMatch(match: ir.RouteMatch): ir.RouteMatch | undefined {
  if (match.method === undefined || match.method === 'OPTIONS') return undefined;
  return {
    ...match,
    method: 'OPTIONS',
    headers: [
      { name: 'origin', match: { kind: 'regex', value: '.+' } },
      { name: 'access-control-request-method', match: { kind: 'exact', value: match.method } },
    ],
  };
}
