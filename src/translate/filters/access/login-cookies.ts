import type { JsonObject } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import type * as ir from '../../../ir/index.ts';
import { scriptFilter } from '../script.ts';
import { matcherFor, nameInSlot, type Slot, slotWith, switchedOff, type TableContent } from '../slot.ts';
import { slotWithItem } from '../slot-item.ts';
import { namedLists, noList } from '../slot-lists.ts';

const name = 'oidc.cookies';

/** Namespace of a route's metadata. */
const names = 'gatewright.login.lists';

const hasLogin = ({ closed = [], oidc }: ir.Access): boolean => oidc !== undefined && !closed.includes('oidc');

/** Envoy decrypts the tokens in them for the filters behind, and leaves some for the backend. */
const hidesCookies = (access: ir.Access): boolean => hasLogin(access) && !access.oidc?.forward.cookies;

/**
 * Takes cookies of logins out of a request, by how ir.LoginCookies.prefix looks. Nothing else in Envoy can take single ones out. Their values are long:
 * only the beginning of each is matched by a pattern, and its end is looked for as plain text, which takes Lua a fraction of the time.
 */
const script = (isOurs: string): string => `
local function isOurs(text, at)
  local session = text:match("^%s*__Host%-gw%-(%x+)%-", at) or text:match("^%s*__Secure%-gw%-(%x+)%-", at)
  return ${isOurs}
end

function envoy_on_request(handle)
  local headers = handle:headers()
  local kept, isChanged = {}, false
  for index = 0, headers:getNumValues("cookie") - 1 do
    local text, at = headers:getAtIndex("cookie", index), 1
    repeat
      local stop = text:find(";", at, true) or #text + 1
      if isOurs(text, at) then isChanged = true
      elseif stop > at then kept[#kept + 1] = text:sub(at, stop - 1):match("^%s*(.*)$") end
      at = stop + 1
    until at > #text
  end
  if not isChanged then return end
  headers:remove("cookie")
  if #kept > 0 then headers:add("cookie", table.concat(kept, "; ")) end
end
`;

// A request without its cookies might be for another route, whose demands it never met: it keeps its own.
const without = (isOurs: string): Any => scriptFilter(script(isOurs));

const withoutAll = (): Any => without('session');

/** `ids`: hexadecimal digits. */
const withoutSessions = (ids: readonly string[]): Any =>
  without(`session and ({${ids.map((id) => `["${id}"]=1`).join(',')}})[session]`);

/** Of what a table demands, at each of its levels. */
export const loginCookiesOfTable = {
  name,
  contentOf: (access: ir.Access): Any | undefined => (hidesCookies(access) ? withoutAll() : undefined),
};

/**
 * It is there while routes of the table have browsers log in, and for all routes of the table: browsers send the cookies to each page of a
 * host, also where the backend is another one's, and who has them is let in. It takes those of these logins alone: a backend may be a Gatewright
 * with logins of its own. Where the table itself forwards cookies, routes have to ask for it.
 */
export const loginCookiesSlot: Slot = {
  name: `gatewright.login.${name}`,
  chain: 'access',
  filter: (table, sessions) => slotWith(name, withoutSessions(sessions), isForAll(table)),
  apart: {
    namespace: names,
    listsOf: (sessions) =>
      new Map(sessions.length === 0 ? [] : [[name, { filters: [{ name, typedConfig: withoutSessions(sessions) }] }]]),
    runsOwn: isForAll,
    otherwise: (table, lists) =>
      lists.has(name) && isForAll(table) ? matcherFor({ filterChainName: name }) : undefined,
  },
};

function isForAll({ access }: TableContent): boolean {
  return !access?.demands.some((demand) => hasLogin(demand) && !hidesCookies(demand));
}

const loginsOf = ({ route, rule }: ir.RouteAccess): readonly ir.Access[] =>
  [route, rule].filter((access) => access !== undefined).filter(hasLogin);

/** The slot, for each session of a route. */
export const loginCookiesNeeds = (demands: ir.RouteAccess): readonly string[] =>
  loginsOf(demands).flatMap(({ oidc }) => {
    const [, id] = /-gw-([0-9a-f]+)-$/.exec(oidc?.cookies.prefix ?? '') ?? [];
    return id === undefined ? [] : [slotWithItem(loginCookiesSlot.name, id)];
  });

/** What a route fills the slot with. */
export function loginCookiesFor(demands: ir.RouteAccess): Readonly<Record<string, Any>> {
  const logins = loginsOf(demands);
  if (logins.length === 0) return {};
  return { [loginCookiesSlot.name]: logins.some(hidesCookies) ? nameInSlot(name) : switchedOff() };
}

/** The same in its metadata. */
export function loginCookiesMetadata(demands: ir.RouteAccess): Readonly<Record<string, JsonObject>> {
  const logins = loginsOf(demands);
  if (logins.length === 0) return {};
  return namedLists(names, [[loginCookiesSlot.name, logins.some(hidesCookies) ? name : noList]]);
}
