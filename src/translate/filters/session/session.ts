import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  type HeaderValueOptionSchema,
  LuaSchema,
  packAny,
  SetMetadataSchema,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { clusterName } from '../../resource/index.ts';
import type { PerFilterConfig } from '../envoy-filter.ts';
import { emptySlot, fillSlot, nameInSlot, type Slot, slotWith } from '../slot.ts';
import { waitingIn } from '../steady.ts';
import { sessionContext, sessionScript } from './session-script.ts';

const scriptName = 'gatewright.session';

/** What the script has to know of a share. A script in a slot sees no `LuaPerRoute`, and a share has no metadata of its own. */
const contextSlot: Slot = { name: 'gatewright.session-context', chain: 'traffic', filter: emptySlot };

/** Has the script, which each of Envoy's threads keeps once. Routes name it: a copy in each would take 180 KB. */
const scriptSlot: Slot = {
  name: 'gatewright.session',
  chain: 'traffic',
  filter() {
    const lua = create(LuaSchema, {
      defaultSourceCode: { specifier: { case: 'inlineString', value: sessionScript } },
      clearRouteCache: false,
    });
    return slotWith(scriptName, packAny(LuaSchema, lua));
  },
};

export const sessionSlots: readonly Slot[] = [contextSlot, scriptSlot];

/** What a rule with sessions uses: its script asks the agent. */
export const slotsOfSessions: readonly string[] = [...sessionSlots.map(({ name }) => name), ...waitingIn('traffic')];

/** What one share puts into the slots, as its `typed_per_filter_config`. `shared`: other shares use the same name. */
export function shareSession({ backend, session }: ir.WeightedBackend, shared: boolean): PerFilterConfig {
  if (!session || backend === undefined) return {};
  const { scope, name, kind, lifetimeSeconds = 0 } = session;
  const query = new URLSearchParams({ lifetime: String(lifetimeSeconds), scope, endpoints: clusterName(backend) });
  const context = {
    name,
    kind,
    table: `/table?${query}`,
    ...(kind === 'cookie' && { attributes: cookieAttributes(session) }),
    ...(shared && { shared: 'yes' }),
  };
  return {
    [contextSlot.name]: fillSlot('context', setContext(context)),
    [scriptSlot.name]: nameInSlot(scriptName),
  };
}

function setContext(value: JsonObject): Any {
  const metadata = [{ metadataNamespace: sessionContext, allowOverwrite: true, value }];
  return packAny(SetMetadataSchema, create(SetMetadataSchema, { metadata }));
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

/** Reports to the script which endpoint has answered; the script removes the header. */
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
