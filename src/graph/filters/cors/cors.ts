import * as z from 'zod';
import * as ir from '../../../ir/index.ts';
import { type FilterSpec, textFault } from '../../model/index.ts';
import type { FilterModule } from '../filter-module.ts';
import { firstFault } from '../first-fault.ts';

type CorsSpec = NonNullable<FilterSpec['cors']>;

/** Source: HTTPCORSFilter. */
export const cors: FilterModule = {
  key: 'cors',
  ruleOnly: true,
  valueFault: ({ cors: spec = {} }) => corsFault('a value of the CORS filter', spec),
  resolve: ({ cors: spec = {} }) => ({ filters: { cors: corsOf(spec) } }),
  effect: {
    schema: z.strictObject({ origins: z.array(z.string()), methods: z.array(z.string()) }),
    show: ({ cors: policy }) =>
      policy && { origins: policy.origins.map(({ value }) => value), methods: policy.methods },
  },
};

const valuesOf = ({
  allowOrigins = [],
  allowMethods = [],
  allowHeaders = [],
  exposeHeaders = [],
}: CorsSpec): readonly string[] => [allowOrigins, allowMethods, allowHeaders, exposeHeaders].flat();

/** A value that no header can carry. */
export const corsFault = (what: string, spec: CorsSpec) =>
  firstFault(valuesOf(spec).map((text) => textFault(what, text)));

/** Source: HTTPCORSFilter.maxAge, its default. */
const defaultMaxAgeSeconds = 5;

/** What is written in the words of HTTPCORSFilter. */
export function corsOf(spec: CorsSpec): ir.Cors {
  const credentials = spec.allowCredentials ?? false;
  const exposed = spec.exposeHeaders ?? [];
  return {
    origins: (spec.allowOrigins ?? []).map(originMatch),
    methods: spec.allowMethods ?? [],
    requestHeaders: spec.allowHeaders ?? [],
    // With credentials a browser takes `*` for the name of a header, and the specification forbids it.
    exposedHeaders: credentials ? exposed.filter((name) => name !== '*') : exposed,
    credentials,
    maxAgeSeconds: spec.maxAge ?? defaultMaxAgeSeconds,
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

/** What a rule has for CORS, if it has none of its own. The fields are in the order of the interface, since digests are made of them. */
export function withCors(filters: ir.RouteFilters = {}, cors: ir.Cors): ir.RouteFilters {
  const { access, externalAuth, ...others } = filters;
  return { ...others, cors: filters.cors ?? cors, ...(access && { access }), ...(externalAuth && { externalAuth }) };
}
