import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  FilterConfigSchema,
  type HeaderValueOptionSchema,
  type HttpFilterSchema,
  LuaPerRouteSchema,
  LuaSchema,
  packAny,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { clusterName } from '../resource/index.ts';
import { sessionScript } from './session-script.ts';

const filterName = 'gatewright.sessions';

/** In every chain, before the router, for what it decides is which endpoint the router takes. */
export const sessionFilter = (): MessageInitShape<typeof HttpFilterSchema> => {
  const config = create(LuaSchema, {
    defaultSourceCode: { specifier: { case: 'inlineString', value: sessionScript } },
    clearRouteCache: false,
  });
  return { name: filterName, configType: { case: 'typedConfig', value: packAny(LuaSchema, config) } };
};

/**
 * For the RouteConfiguration of an exact scope: requests of routes without sessions need not pass the filter. Not where routes are chosen
 * again later, for Envoy makes up its mind about filters by the first.
 */
export const sessionsOff: Readonly<Record<string, Any>> = {
  [filterName]: packAny(FilterConfigSchema, create(FilterConfigSchema, { disabled: true })),
};

/** What the filter has to know of one share, as its `typed_per_filter_config`. `shared`: other shares use the same name. */
export function shareSession({ backend, session }: ir.WeightedBackend, shared: boolean): Record<string, Any> {
  if (!session || backend === undefined) return {};
  const { scope, name, kind, lifetimeSeconds = 0 } = session;
  const query = new URLSearchParams({ lifetime: String(lifetimeSeconds), scope, endpoints: clusterName(backend) });
  const filterContext = {
    name,
    kind,
    table: `/table?${query}`,
    ...(kind === 'cookie' && { attributes: cookieAttributes(session) }),
    ...(shared && { shared: 'yes' }),
  };
  return { [filterName]: packAny(LuaPerRouteSchema, create(LuaPerRouteSchema, { filterContext })) };
}

/** Source: GEP-1619, Cookie Attributes. Scripts do not see it, and other sites' pages do not send it. */
const cookieAttributes = ({
  path,
  permanent,
  secure,
  lifetimeSeconds,
}: ir.Session & { readonly kind: 'cookie' }): string =>
  [
    '',
    `Path=${path}`,
    ...(permanent && lifetimeSeconds !== undefined ? [`Max-Age=${lifetimeSeconds}`] : []),
    'HttpOnly',
    ...(secure ? ['Secure'] : []),
    'SameSite=Strict',
  ].join('; ');

/** Reports to the filter which endpoint answered; the filter removes the header. */
export const upstreamHeader = ({ session }: ir.WeightedBackend): MessageInitShape<typeof HeaderValueOptionSchema>[] =>
  session
    ? [
        {
          header: { key: 'x-gw-upstream', value: '%UPSTREAM_REMOTE_ADDRESS%' },
          appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD,
        },
      ]
    : [];

/** Whether clients stay with endpoints of some backend of the rule. */
export const hasSessions = ({ action }: ir.RouteRule): boolean =>
  action.kind === 'forward' && action.backends.some(({ session }) => session !== undefined);

/** Whether another share of the rule has a session of the same name. */
export const sharesName = (backends: readonly ir.WeightedBackend[], share: ir.WeightedBackend): boolean =>
  backends.some(
    (other) => other !== share && other.session !== undefined && other.session.name === share.session?.name,
  );
