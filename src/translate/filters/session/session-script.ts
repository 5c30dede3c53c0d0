import { sessionService } from '../../../contracts/index.ts';

/** Namespace of the dynamic metadata by which a share says what the script has to know. */
export const sessionContext = 'gatewright.session-context';

/**
 * What Envoy does for a session: it looks the client's token up in the table of the backend, and gives the client a token of the endpoint that
 * answered. It neither makes nor reads tokens, because the agent makes the tables; so there is nothing secret here. Each of Envoy's threads
 * runs it with tables of its own.
 *
 * Envoy asks for a table in three cases: at first need, when the table is too old, and when a client's token or the endpoint that answered
 * is not in it. Most answers have no body, and the number of questions is limited, so strangers' tokens cost little. While no table is
 * available, requests go where they would go without sessions.
 */
export const sessionScript = String.raw`
local callsPerSecond, waitMs, mostTables = 50, 1000, 1000
local tokenLength, tokensKept = 22, 4
local tables, tableCount = {}, 0

-- What the route says. Copied, for nothing that Envoy hands out outlives a call.
local function contextOf(handle)
  local context = handle:streamInfo():dynamicMetadata():get("${sessionContext}")
  local path = context and context["table"]
  if not path then return end
  return {
    path = path, name = context["name"], kind = context["kind"],
    attributes = context["attributes"] or "", shared = context["shared"],
  }
end

local function tableOf(path)
  local found = tables[path]
  if not found then
    if tableCount >= mostTables then tables, tableCount = {}, 0 end
    found = {path = path, version = "", accepted = {}, issued = {}, renewed = {}, fresh = 0, pause = 0, second = 0, calls = 0}
    tables[path], tableCount = found, tableCount + 1
  end
  return found
end

-- One line an endpoint: its address, its tokens, the one for new sessions first. What a token was under the former key is behind "=".
local function read(known, body)
  local accepted, issued, renewed = {}, {}, {}
  for address, items in body:gmatch("(%S+) ([^\n]*)\n") do
    for token, former in items:gmatch("([%w_-]+)=?([%w_-]*)") do
      accepted[token] = address
      if not issued[address] then issued[address] = token end
      if former ~= "" then accepted[former], renewed[former] = address, token end
    end
  end
  known.accepted, known.issued, known.renewed = accepted, issued, renewed
end

local function refresh(handle, known)
  local now = os.time()
  if known.second ~= now then known.second, known.calls = now, 0 end
  if now < known.pause then return end
  -- Before there is a first table all requests wait for it. Later one request at a time asks for a newer one; the others use the present table.
  if known.version ~= "" then
    if known.calls >= callsPerSecond then return end
    known.fresh = math.max(known.fresh, now + 1)
  end
  known.calls = known.calls + 1
  local headers, body = handle:httpCall("${sessionService}",
    {[":method"] = "GET", [":path"] = known.path .. "&have=" .. known.version, [":authority"] = "agent"}, "", waitMs)
  local status = headers[":status"]
  if status == "200" or status == "304" then
    if status == "200" then read(known, body or ""); known.version = headers["x-version"] or "" end
    known.fresh = now + (tonumber(headers["x-max-age"]) or 1)
    return
  end
  if status == "404" then read(known, ""); known.version = "" end
  known.fresh, known.pause = now + 1, now + 1
end

-- All that the client sent under the name.
local function sentIn(headers, context)
  if context.kind == "header" then return headers:get(context.name) or "" end
  local pattern = ";%s*" .. context.name:gsub("%p", "%%%0") .. "=([^;%s]*)"
  local all = {}
  for line = 0, headers:getNumValues("cookie") - 1 do
    for value in (";" .. headers:getAtIndex("cookie", line)):gmatch(pattern) do
      if #all < tokensKept then all[#all + 1] = value end
    end
  end
  return table.concat(all, ".")
end

-- What of it may be tokens.
local function tokensIn(sent)
  local tokens = {}
  for token in sent:gmatch("[%w_-]+") do
    if #token == tokenLength and #tokens < tokensKept then tokens[#tokens + 1] = token end
  end
  return tokens
end

local function pick(known, tokens)
  for _, token in ipairs(tokens) do
    if known.accepted[token] then return token, known.accepted[token] end
  end
end

-- Tokens that may be of other backends that share the name: a client of several backends keeps its place in each.
local function othersIn(known, tokens)
  local others = {}
  for _, token in ipairs(tokens) do
    if not known.accepted[token] and #others < tokensKept - 1 then others[#others + 1] = token end
  end
  return table.concat(others, ".")
end

function envoy_on_request(handle)
  local context = contextOf(handle)
  if not context then return end
  local tokens = tokensIn(sentIn(handle:headers(), context))
  if #tokens == 0 then return end
  local known = tableOf(context.path)
  if os.time() >= known.fresh then refresh(handle, known) end
  local token, address = pick(known, tokens)
  if not token then
    refresh(handle, known)
    token, address = pick(known, tokens)
  end
  local metadata = handle:streamInfo():dynamicMetadata()
  if context.shared then metadata:set("gatewright.sessions", "others", othersIn(known, tokens)) end
  if not token then return end
  metadata:set("gatewright.sessions", "token", token)
  handle:setUpstreamOverrideHost(address, false)
end

function envoy_on_response(handle)
  local upstream = handle:headers():get("x-gw-upstream")
  if not upstream then return end
  handle:headers():remove("x-gw-upstream")
  local context = contextOf(handle)
  if not context then return end
  local known = tableOf(context.path)
  if os.time() >= known.fresh or not known.issued[upstream] then refresh(handle, known) end
  local session = handle:streamInfo():dynamicMetadata():get("gatewright.sessions") or {}
  local token = known.issued[upstream]
  if session["token"] and known.accepted[session["token"]] == upstream then token = known.renewed[session["token"]] end
  if not token then return end
  local others = session["others"]
  if others and others ~= "" then token = token .. "." .. others end
  if context.kind == "header" then handle:headers():replace(context.name, token)
  else handle:headers():add("set-cookie", context.name .. "=" .. token .. context.attributes) end
end
`;
