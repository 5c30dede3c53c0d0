import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { LuaSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';

/** Envoy decrypts the tokens in them for the filters behind, and leaves some for the backend. */
export const hidesCookies = ({ closed = [], oidc }: ir.Access): boolean =>
  oidc !== undefined && !oidc.forward.cookies && !closed.includes('oidc');

/** Takes the cookies of all logins out of a request, by how ir.LoginCookies.prefix looks. Nothing else in Envoy can take single ones out. */
const script = `
local function isOurs(cookie)
  return cookie:find("^%s*__Host%-gw%-%x+%-") or cookie:find("^%s*__Secure%-gw%-%x+%-")
end

function envoy_on_request(handle)
  local headers = handle:headers()
  local kept, isChanged = {}, false
  for index = 0, headers:getNumValues("cookie") - 1 do
    for cookie in headers:getAtIndex("cookie", index):gmatch("[^;]+") do
      if isOurs(cookie) then isChanged = true else kept[#kept + 1] = cookie:match("^%s*(.*)$") end
    end
  end
  if not isChanged then return end
  headers:remove("cookie")
  if #kept > 0 then headers:add("cookie", table.concat(kept, "; ")) end
end
`;

export const withoutLoginCookies = (): Any =>
  packAny(
    LuaSchema,
    create(LuaSchema, {
      defaultSourceCode: { specifier: { case: 'inlineString', value: script } },
      // A request without its cookies might be for another route, whose demands it never met.
      clearRouteCache: false,
    }),
  );
