import type { Any } from '@bufbuild/protobuf/wkt';
import { scriptFilter } from '../script.ts';
import { jwtMetadata } from './jwt.ts';

/** Of the dynamic metadata by which one level says what its script takes out of requests: `{PART: [{kind, name, prefix?, of?}]}`. */
export const hiddenNamespace = (level: string): string => `gatewright.hidden.${level}`;

/**
 * Takes credentials out of cookies and of the query, and out of headers where that depends on their value or on who verified a token. Nothing else in
 * Envoy can take single cookies out, or leaves the rest of a query as it is. No pattern of it takes more than linear time: clients choose the texts.
 */
const script = (namespace: string): string => `
local function trimmed(text)
  local from = text:find("%S")
  return from and text:match(".*%S", from) or ""
end

local function decoded(text)
  return (text:gsub("%%(%x%x)", function(code) return string.char(tonumber(code, 16)) end))
end

local function withoutCookies(headers, names)
  local kept, isChanged = {}, false
  for index = 0, headers:getNumValues("cookie") - 1 do
    for cookie in headers:getAtIndex("cookie", index):gmatch("[^;]+") do
      if names[trimmed(cookie:match("^[^=]*"))] then isChanged = true else kept[#kept + 1] = trimmed(cookie) end
    end
  end
  if not isChanged then return end
  headers:remove("cookie")
  if #kept > 0 then headers:add("cookie", table.concat(kept, "; ")) end
end

local function withoutParams(headers, names)
  local path = headers:get(":path") or ""
  local start = path:find("?", 1, true)
  if not start then return end
  local kept, isChanged = {}, false
  for pair in (path:sub(start + 1) .. "&"):gmatch("([^&]*)&") do
    if names[decoded(pair:match("^[^=]*"))] then isChanged = true else kept[#kept + 1] = pair end
  end
  if not isChanged then return end
  path = path:sub(1, start - 1)
  if #kept > 0 then path = path .. "?" .. table.concat(kept, "&") end
  headers:replace(":path", path)
end

local function withoutHeader(headers, name, prefix)
  for index = 0, headers:getNumValues(name) - 1 do
    if headers:getAtIndex(name, index):lower():find(prefix:lower(), 1, true) then return headers:remove(name) end
  end
end

function envoy_on_request(handle)
  local metadata = handle:streamInfo():dynamicMetadata()
  local hidden = metadata:get("${namespace}")
  if not hidden then return end
  local verified
  local headers, cookies, params = handle:headers(), {}, {}
  for _, places in pairs(hidden) do
    for _, place in ipairs(places) do
      local kind, name, provider = place["kind"], place["name"], place["of"]
      if provider then verified = verified or metadata:get("${jwtMetadata}") or {} end
      if not provider or verified[provider] then
        if kind == "cookie" then cookies[name] = true
        elseif kind == "query" then params[name] = true
        else withoutHeader(headers, name, place["prefix"] or "") end
      end
    end
  end
  if next(cookies) then withoutCookies(headers, cookies) end
  if next(params) then withoutParams(headers, params) end
end
`;

/** The request keeps its route: that was chosen by what the client sent. */
export const hideScript = (level: string): Any => scriptFilter(script(hiddenNamespace(level)));
