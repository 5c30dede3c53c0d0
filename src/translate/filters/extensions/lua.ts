import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { LuaSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { ownHeaderPrefix } from '../../../ir/index.ts';
import { jwtMetadata } from '../access/jwt.ts';

/*
 * Envoy gives scripts all of LuaJIT, so files, processes and the memory of the proxy; handles that call any cluster or choose the route again; and, by
 * `__gc`, objects that are freed twice. A user's script is therefore loaded as text into an environment of its own, and gets handles with named functions
 * alone. What a script can still do is take time and memory without end.
 */

/** What scripts have of the language. */
const globals = [
  'assert',
  'bit',
  'error',
  'getmetatable',
  'ipairs',
  'math',
  'next',
  'pairs',
  'pcall',
  'rawequal',
  'rawget',
  'rawset',
  'select',
  'setmetatable',
  'string',
  'table',
  'tonumber',
  'tostring',
  'type',
  'unpack',
  'xpcall',
  'EnvoyTimestampResolution',
];

const logs = ['logTrace', 'logDebug', 'logInfo', 'logWarn', 'logErr', 'logCritical'];

/** By the kind of object, what scripts may call of it. */
const functions = {
  handle: ['respond', 'timestamp', 'timestampString', 'base64Escape', 'base64Decode', ...logs],
  headers: ['get', 'getAtIndex', 'getNumValues'],
  body: ['length', 'getBytes', 'setBytes'],
  streamInfo: [
    'protocol',
    'routeName',
    'requestedServerName',
    'downstreamRemoteAddress',
    'downstreamDirectRemoteAddress',
    'downstreamLocalAddress',
  ],
} as const;

/** Of dynamic metadata, the namespaces that scripts read: their own, which they write too, and the claims of tokens. */
const [ownMetadata, readable] = ['lua', ['lua', jwtMetadata]];

/** As for processors: where a request goes whose route is chosen, how messages are framed, and our own headers. Patterns of Lua, for names in small letters. */
const kept = [
  ':authority',
  ':method',
  ':path',
  ':scheme',
  ':protocol',
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
];
const keptPrefixes = [ownHeaderPrefix, 'x-envoy-'];

const setOf = (names: readonly string[]): string => `{${names.map((name) => `[${quoted(name)}] = true`).join(', ')}}`;
const listOf = (names: readonly string[]): string => `{${names.map(quoted).join(', ')}}`;

/** Text as Lua reads it, whatever it holds. */
const quoted = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => (isPlain(byte) ? String.fromCharCode(byte) : escaped(byte))).join('')}"`;
const isPlain = (byte: number): boolean => byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
const escaped = (byte: number): string => `\\${String(byte).padStart(3, '0')}`;

/** Ahead of all scripts. `env`: the environment of the script; `opened`: makes an object of Envoy's one that has these functions and no others. */
const prelude = `
local type, pcall, getmetatable, error, pairs = type, pcall, getmetatable, error, pairs
local lower, sub = string.lower, string.sub
string.dump = nil
local env = {os = {clock = os.clock, date = os.date, time = os.time}}
for _, name in pairs(${listOf(globals)}) do env[name] = _G[name] end
env._G = env

local function opened(object, names, more)
  local meta = object ~= nil and getmetatable(object)
  if not meta then return object end
  local index = {}
  for _, name in pairs(names) do index[name] = meta[name] end
  if more then more(index, meta) end
  meta.__index, meta.__newindex, meta.__metatable = index, nil, false
  return object
end

local kept = ${setOf(kept)}
local function mayWrite(name)
  if type(name) ~= "string" then error("a name of a header is a text", 3) end
  local small = lower(name)
  if kept[small] then return false end
  for _, prefix in pairs(${listOf(keptPrefixes)}) do
    if sub(small, 1, #prefix) == prefix then return false end
  end
  return true
end

local emptied
local function headersOf(object)
  return opened(object, ${listOf(functions.headers)}, function(index, meta)
    local add, replace, remove = meta.add, meta.replace, meta.remove
    function index.add(self, name, value) if mayWrite(name) then add(self, name, value) end end
    function index.replace(self, name, value) if mayWrite(name) then replace(self, name, value) end end
    function index.remove(self, name) if mayWrite(name) then remove(self, name) end end
    -- Envoy lets no script change headers while they are gone through, nor after a script has failed there.
    local each = meta.__pairs
    function meta.__pairs(self)
      local list, at = {}, 0
      for name, value in each(self) do list[#list + 1] = {name, value} end
      return function()
        at = at + 1
        if list[at] then return list[at][1], list[at][2] end
      end
    end
    function emptied(self)
      for name in meta.__pairs(self) do if name ~= ":status" then remove(self, name) end end
      replace(self, ":status", "503")
    end
  end)
end

local function bodyOf(object) return opened(object, ${listOf(functions.body)}) end

local function dynamicMetadataOf(object)
  return opened(object, {}, function(index, meta)
    local get, set = meta.get, meta.set
    local readable = ${setOf(readable)}
    meta.__pairs = nil
    function index.get(self, namespace)
      if not readable[namespace] then error("scripts read metadata of ${readable.join(' and ')}", 2) end
      return get(self, namespace)
    end
    function index.set(self, namespace, key, value)
      if namespace ~= ${quoted(ownMetadata)} then error("scripts write metadata of ${ownMetadata}", 2) end
      set(self, namespace, key, value)
    end
  end)
end

local function streamInfoOf(object)
  return opened(object, ${listOf(functions.streamInfo)}, function(index, meta)
    local dynamicMetadata = meta.dynamicMetadata
    function index.dynamicMetadata(self) return dynamicMetadataOf(dynamicMetadata(self)) end
  end)
end

local respond, log, rawHeaders, rawBody
local function handleOf(object)
  return opened(object, ${listOf(functions.handle)}, function(index, meta)
    respond, log, rawHeaders, rawBody = meta.respond, meta.logWarn, meta.headers, meta.body
    local headers, trailers, streamInfo = meta.headers, meta.trailers, meta.streamInfo
    local body, bodyChunks = meta.body, meta.bodyChunks
    function index.headers(self) return headersOf(headers(self)) end
    function index.trailers(self) return headersOf(trailers(self)) end
    function index.streamInfo(self) return streamInfoOf(streamInfo(self)) end
    function index.body(self) return bodyOf(body(self)) end
    function index.bodyChunks(self)
      local following = bodyChunks(self)
      return function() return bodyOf(following()) end
    end
  end)
end
`;

/** Behind it: takes the script in, as text and never as bytecode, which begins with another byte; and answers for it where it fails. */
const load = ({ source, failOpen }: ir.Script): string => `
local chunk, fault = loadstring(${quoted(` ${source}`)}, "=script")
if not chunk then error(fault, 0) end
setfenv(chunk, env)()

-- A request is answered at once. Of an answer nothing is left, unless it is on its way to the client.
local function rejectRequest(handle) respond(handle, {[":status"] = "503"}, "") end
local function rejectAnswer(handle)
  headersOf(rawHeaders(handle))
  emptied(rawHeaders(handle))
  bodyOf(rawBody(handle, true)):setBytes("")
end

local function guarded(act, reject)
  return function(handle)
    local isFine, fault = pcall(act, handleOf(handle))
    if isFine then return end
    log(handle, "a script of an ExtensionPolicy failed: " .. (type(fault) == "string" and fault or "with no text"))
${failOpen ? '' : '    pcall(reject, handle)\n'}  end
end
local onRequest, onResponse = env.envoy_on_request, env.envoy_on_response
if type(onRequest) == "function" then envoy_on_request = guarded(onRequest, rejectRequest) end
if type(onResponse) == "function" then envoy_on_response = guarded(onResponse, rejectAnswer) end
`;

/** Envoy's filter for a user's script. */
export const lua = (script: ir.Script): Any =>
  packAny(
    LuaSchema,
    create(LuaSchema, {
      defaultSourceCode: { specifier: { case: 'inlineString', value: `${prelude}${load(script)}` } },
      // A request keeps the route that policies were judged by.
      clearRouteCache: false,
    }),
  );
