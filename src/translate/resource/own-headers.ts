import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  HeaderMutationFilterSchema,
  type HeaderMutationSchema,
  type HttpFilterSchema,
  packAny,
} from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';

/** Takes away all headers of ours, no matter who wrote them. */
export const withoutOwnHeaders: MessageInitShape<typeof HeaderMutationSchema> = {
  action: {
    case: 'removeOnMatch',
    value: { keyMatcher: { matchPattern: { case: 'prefix', value: ir.ownHeaderPrefix } } },
  },
};

type Mutation = MessageInitShape<typeof HeaderMutationSchema>;

interface Edge {
  readonly http3?: ir.HttpChain['http3'] | undefined;
  /** What else is changed in requests and in answers. */
  readonly request?: readonly Mutation[];
  readonly response?: readonly Mutation[];
}

/**
 * Stands first, so that it sees answers last: none of our headers gets out, whether a backend sent it or a later filter forgot it.
 * Requests lost theirs before any filter (see earlyScope), but not their trailers. Every answer, from any server, also offers HTTP/3
 * to clients that may use it: RFC 7838, RFC 9114 §3.1.1.
 */
export function edgeFilter({ http3, request = [], response = [] }: Edge): MessageInitShape<typeof HttpFilterSchema> {
  const filter = create(HeaderMutationFilterSchema, {
    mutations: {
      requestMutations: [...request],
      responseMutations: [withoutOwnHeaders, ...(http3 ? [altSvc(http3)] : []), ...response],
      requestTrailersMutations: [withoutOwnHeaders],
      responseTrailersMutations: [withoutOwnHeaders],
    },
  });
  return {
    name: 'gatewright.edge',
    configType: { case: 'typedConfig', value: packAny(HeaderMutationFilterSchema, filter) },
  };
}

const altSvc = ({
  port,
  maxAgeSeconds,
}: NonNullable<ir.HttpChain['http3']>): MessageInitShape<typeof HeaderMutationSchema> => {
  const header = { key: 'alt-svc', value: `h3=":${port}"; ma=${maxAgeSeconds}` };
  return { action: { case: 'append', value: { header, appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD } } };
};
