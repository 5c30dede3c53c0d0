import { create } from '@bufbuild/protobuf';
import { LuaSchema, packAny } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { type HttpFilter, httpFilter } from '../resource/index.ts';

/**
 * The upstream HTTP filter of a server that is asked about requests. Envoy asks with the client's method and host, and takes 200 alone for a yes; it
 * has no field for either, so a script says it where the question leaves. A script that fails changes nothing, and the answer stays a no.
 */
export function askedFilters({ asked, hostname }: ir.Backend): HttpFilter[] {
  if (asked === undefined) return [];
  const { method, successful } = asked;
  const host = asked.ownHost ? hostname : undefined;
  const request = [
    ...(method === undefined ? [] : [replace(':method', method)]),
    ...(host === undefined ? [] : [replace(':authority', host)]),
  ];
  const script = [
    ...(request.length > 0 ? [`function envoy_on_request(handle)\n${request.join('\n')}\nend`] : []),
    ...(successful ? [answersScript] : []),
  ].join('\n');
  if (script === '') return [];
  const lua = create(LuaSchema, { defaultSourceCode: { specifier: { case: 'inlineString', value: script } } });
  return [httpFilter('gatewright.asked', packAny(LuaSchema, lua))];
}

/** A method is one of three words, and a host has passed the rules for names: neither ends the text. */
const replace = (header: string, value: string): string => `  handle:headers():replace("${header}", "${value}")`;

const answersScript = `function envoy_on_response(handle)
  local headers = handle:headers()
  if headers:get(":status"):match("^2%d%d$") then headers:replace(":status", "200") end
end`;
