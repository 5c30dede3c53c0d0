import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  HeaderMutationFilterSchema,
  type HttpFilterSchema,
  packAny,
} from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';

/** Tells clients that they may come by HTTP/3, in every answer, whoever gives it. Source: RFC 7838, RFC 9114 §3.1.1. */
export function altSvcFilter({
  port,
  maxAgeSeconds,
}: NonNullable<ir.HttpChain['http3']>): MessageInitShape<typeof HttpFilterSchema> {
  const header = { key: 'alt-svc', value: `h3=":${port}"; ma=${maxAgeSeconds}` };
  const filter = create(HeaderMutationFilterSchema, {
    mutations: {
      responseMutations: [
        { action: { case: 'append', value: { header, appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD } } },
      ],
    },
  });
  return { name: 'alt-svc', configType: { case: 'typedConfig', value: packAny(HeaderMutationFilterSchema, filter) } };
}
