import { create, type JsonObject } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { packAny, SetMetadataSchema } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { ownHeaderPrefix } from '../../../ir/index.ts';
import { bufferLimitBytes, clusterName } from '../../resource/index.ts';
import { scriptSlot } from '../script.ts';

/** Of the dynamic metadata by which a route says to the script which servers have pages. */
const namespace = 'gatewright.error-pages';

/**
 * Asks a server for the page of an error. Envoy's own way is to route the request again, which would need a route that clients can name too, and would
 * count and authorize the request twice. What Envoy itself says of a server that does not answer is no page: the error stays then.
 */
const script = `
local ownFailures = {"upstream failure", "upstream connect error", "upstream request timeout", "no healthy upstream"}
-- What frames a message is this answer's own; what only proxies write is no server's.
local kept = {["connection"] = true, ["content-length"] = true, ["keep-alive"] = true, ["proxy-connection"] = true, ["te"] = true, ["trailer"] = true, ["transfer-encoding"] = true, ["upgrade"] = true}
local function mayTake(name)
  return not kept[name] and name:sub(1, 1) ~= ":" and name:sub(1, ${ownHeaderPrefix.length}) ~= "${ownHeaderPrefix}" and name:sub(1, 8) ~= "x-envoy-"
end

local function pageFor(pages, status)
  local class = status:sub(1, 1) .. "xx"
  for _, page in ipairs(pages) do
    for _, code in ipairs(page["codes"]) do if code == status then return page end end
    for _, each in ipairs(page["classes"]) do if each == class then return page end end
  end
end

local function requestFor(page, asked, status)
  local request = {[":method"] = asked["method"], [":path"] = page["path"], [":authority"] = asked["authority"]}
  for _, header in ipairs(page["headers"]) do request[header["name"]] = header["value"] end
  request["x-code"] = status
  request["x-format"] = asked["accept"]
  request["x-original-uri"] = asked["path"]
  request["x-request-id"] = asked["id"]
  request["accept-language"] = asked["language"]
  return request
end

local function isOwnFailure(answer, text)
  if answer[":status"] ~= "503" and answer[":status"] ~= "504" then return false end
  for _, words in ipairs(ownFailures) do
    if text and text:sub(1, #words) == words then return true end
  end
  return false
end

local function replaceHeaders(headers, answer)
  local names = {}
  for name in pairs(headers) do if name:sub(1, 1) ~= ":" then names[#names + 1] = name end end
  for _, name in ipairs(names) do headers:remove(name) end
  for name, value in pairs(answer) do if mayTake(name) then headers:add(name, value) end end
end

function envoy_on_request(handle)
  local metadata = handle:streamInfo():dynamicMetadata()
  if not metadata:get("${namespace}") then return end
  local headers = handle:headers()
  metadata:set("${namespace}", "asked", {
    method = headers:get(":method") == "HEAD" and "HEAD" or "GET",
    path = headers:get(":path"), authority = headers:get(":authority"), accept = headers:get("accept"),
    language = headers:get("accept-language"), id = headers:get("x-request-id"),
  })
end

function envoy_on_response(handle)
  local context = handle:streamInfo():dynamicMetadata():get("${namespace}")
  local asked = context and context["asked"]
  if not asked then return end
  local status = handle:headers():get(":status")
  local page = pageFor(context["pages"], status)
  if not page then return end
  local hasBody = asked["method"] ~= "HEAD"
  -- More than is kept would end in another error.
  if hasBody and (tonumber(handle:headers():get("content-length") or "") or 0) > ${bufferLimitBytes} then return end
  -- The whole error first: Envoy gives no body any more when another answer was waited for.
  if hasBody then handle:body(true) end
  local answer, text = handle:httpCall(page["cluster"], requestFor(page, asked, status), nil, page["timeoutMs"])
  if isOwnFailure(answer, text) then return end
  replaceHeaders(handle:headers(), answer)
  if page["givesStatus"] then handle:headers():replace(":status", answer[":status"]) end
  -- Nothing that Envoy handed out before it waited can be used.
  if hasBody then handle:body(true):setBytes(text or "") end
end
`;

export const pageScript = 'gatewright.traffic.pages';

export const pageScripts = scriptSlot(pageScript, script);

/** Says to the script which servers have pages. */
export function askedPages(pages: readonly ir.AskedPage[]): Any {
  const value: JsonObject = {
    pages: pages.map(({ codes, classes, server }) => ({
      codes: codes.map(String),
      classes: [...classes],
      cluster: clusterName(server.backend),
      path: server.path,
      headers: server.headers.map(({ name, value }) => ({ name, value })),
      timeoutMs: server.timeoutMs,
      ...(server.givesStatus && { givesStatus: true }),
    })),
  };
  const metadata = [{ metadataNamespace: namespace, allowOverwrite: true, value }];
  return packAny(SetMetadataSchema, create(SetMetadataSchema, { metadata }));
}
