import { create, type JsonObject } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { packAny, SetMetadataSchema } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { scriptSlot } from '../script.ts';

/** Of the dynamic metadata by which a route says to the script what it changes. */
const namespace = 'gatewright.response-cookies';

/**
 * Changes attributes of cookies. Nothing else in Envoy keeps several of them apart. What it does not know of a cookie stays as it is. No pattern
 * takes more than linear time.
 */
const script = `
local function trimmed(text)
  local from = text:find("%S")
  return from and text:match(".*%S", from) or ""
end

local function pathOf(changes, path)
  for _, change in ipairs(changes) do
    local from, to = change["from"], change["to"]
    if path:sub(1, #from) == from and (#path == #from or from:sub(-1) == "/" or path:sub(#from + 1, #from + 1) == "/") then
      local rest = path:sub(#from + 1)
      if to:sub(-1) == "/" and rest:sub(1, 1) == "/" then rest = rest:sub(2) end
      if to:sub(-1) ~= "/" and rest ~= "" and rest:sub(1, 1) ~= "/" then rest = "/" .. rest end
      return to .. rest
    end
  end
  return path
end

local function domainOf(changes, domain)
  local name = domain:lower():gsub("^%.", "")
  for _, change in ipairs(changes) do
    if change["from"] == name then return change["to"] end
  end
  return domain
end

local function changed(cookie, changes)
  local parts, isSecure = {}, false
  for part in cookie:gmatch("[^;]+") do
    local name, value = part:match("^([^=]*)=?(.*)$")
    local attribute = #parts > 0 and trimmed(name):lower() or ""
    value = trimmed(value)
    if attribute == "path" and changes["path"] then part = " Path=" .. pathOf(changes["path"], value)
    elseif attribute == "domain" and changes["domain"] then part = " Domain=" .. domainOf(changes["domain"], value)
    elseif attribute == "secure" then isSecure = true end
    if attribute ~= "samesite" or not changes["sameSite"] then parts[#parts + 1] = part end
  end
  if changes["sameSite"] then parts[#parts + 1] = " SameSite=" .. changes["sameSite"] end
  if changes["secure"] and not isSecure then parts[#parts + 1] = " Secure" end
  return table.concat(parts, ";")
end

function envoy_on_response(handle)
  local changes = handle:streamInfo():dynamicMetadata():get("${namespace}")
  if not changes then return end
  local headers, cookies = handle:headers(), {}
  for index = 0, headers:getNumValues("set-cookie") - 1 do
    cookies[#cookies + 1] = changed(headers:getAtIndex("set-cookie", index), changes)
  end
  if #cookies == 0 then return end
  headers:remove("set-cookie")
  for _, cookie in ipairs(cookies) do headers:add("set-cookie", cookie) end
end
`;

export const cookieScript = 'gatewright.traffic.cookies';

export const cookieScripts = scriptSlot(cookieScript, script);

/** Says to the script what it changes. */
export function responseCookies({ path, domain, secure, sameSite }: ir.CookieChanges): Any {
  const pairs = (changes: readonly ir.LocationChange[]) => changes.map(({ from, to }) => ({ from, to }));
  const value: JsonObject = {
    ...(path && { path: pairs(path) }),
    ...(domain && { domain: pairs(domain) }),
    ...(secure && { secure }),
    ...(sameSite && { sameSite }),
  };
  const metadata = [{ metadataNamespace: namespace, allowOverwrite: true, value }];
  return packAny(SetMetadataSchema, create(SetMetadataSchema, { metadata }));
}
