import { create, type JsonObject } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { packAny, SetMetadataSchema } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { scriptFilter } from '../script.ts';

/** Of the dynamic metadata by which the three filters of one level agree. */
const namespaceOf = (level: string): string => `gatewright.sign-in.${level}`;

const signInOf = ({ closed = [], forwardAuth }: ir.Access): ir.SignIn | undefined =>
  closed.includes('forwardAuth') ? undefined : forwardAuth?.signIn;

export const hasSignIn = (access: ir.Access): boolean => signInOf(access) !== undefined;

/** Says where to sign in, to the script behind it. */
export function signInContext(access: ir.Access, level: string): Any | undefined {
  const signIn = signInOf(access);
  if (!signIn) return undefined;
  const separator = signIn.url.includes('?') ? '&' : '?';
  return remember(level, { url: `${signIn.url}${separator}${signIn.returnParam}=` });
}

/** Behind the filter that asks the server: what comes later in a request is no answer of that server. */
export const signInPassed = (access: ir.Access, level: string): Any | undefined =>
  signInOf(access) && remember(level, { passed: true });

function remember(level: string, value: JsonObject): Any {
  const metadata = [{ metadataNamespace: namespaceOf(level), allowOverwrite: true, value }];
  return packAny(SetMetadataSchema, create(SetMetadataSchema, { metadata }));
}

/**
 * Sends a browser whose request was answered 401 by the server to where its user can sign in, with the URL that it asked for. Nothing else in Envoy can
 * encode that. Only for what a browser shows as a page: a script of a page, or another program, would follow and take the sign-in page for data.
 */
const script = (namespace: string): string => `
local namespace, longest = "${namespace}", 4096

local function encoded(text)
  return (text:gsub("[^%w%-%._~]", function(character) return string.format("%%%02X", character:byte()) end))
end

function envoy_on_request(handle)
  local metadata = handle:streamInfo():dynamicMetadata()
  local context = metadata:get(namespace)
  if not context or not context["url"] then return end
  local headers = handle:headers()
  local method, accept = headers:get(":method"), headers:get("accept") or ""
  if method ~= "GET" and method ~= "HEAD" then return end
  if not accept:lower():find("text/html", 1, true) then return end
  local scheme = headers:get("x-forwarded-proto") or headers:get(":scheme") or "http"
  local asked = scheme .. "://" .. (headers:get(":authority") or "")
  local path = headers:get(":path") or "/"
  if #path > longest then path = "/" end
  metadata:set(namespace, "location", context["url"] .. encoded(asked .. path))
end

function envoy_on_response(handle)
  local headers = handle:headers()
  if headers:get(":status") ~= "401" then return end
  local found = handle:streamInfo():dynamicMetadata():get(namespace)
  if not found or not found["location"] or found["passed"] then return end
  headers:replace(":status", "302")
  headers:replace("location", found["location"])
  headers:replace("cache-control", "no-store")
  headers:remove("www-authenticate")
end
`;

export const signInScript = (level: string): Any => scriptFilter(script(namespaceOf(level)));
