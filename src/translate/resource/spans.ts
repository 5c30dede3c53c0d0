import type { MessageInitShape } from '@bufbuild/protobuf';
import type { HttpConnectionManager_TracingSchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { formatOfText } from './log-text.ts';

type Tracing = Extract<MessageInitShape<typeof HttpConnectionManager_TracingSchema>, { readonly $typeName?: never }>;
type CustomTag = NonNullable<Tracing['customTags']>[number];

/** What is known when a span begins, without CEL, for which a span's name has no place. */
const nameFormats: Readonly<Record<string, string>> = {
  method: '%REQUEST_HEADER(:METHOD)%',
  authority: '%REQUEST_HEADER(:AUTHORITY)%',
  path: '%PATH(NQ:ORIG_OR_PATH)%',
  route_name: '%ROUTE_NAME%',
  requested_server_name: '%REQUESTED_SERVER_NAME%',
};

/** The name of spans, in Envoy's format. */
export const spanNameFormat = (text: string): string => formatOfText(text, nameFormats);

export function customTag(tag: ir.SpanTag): CustomTag {
  if ('attribute' in tag) return { tag: tag.name, type: { case: 'value', value: attributeFormats[tag.attribute] } };
  if ('value' in tag) return { tag: tag.name, type: { case: 'literal', value: { value: tag.value } } };
  const { header: name, otherwise: defaultValue } = tag;
  return {
    tag: tag.name,
    type: { case: 'requestHeader', value: { name, ...(defaultValue !== undefined && { defaultValue }) } },
  };
}

/** Paths without their query, as in logs. */
const attributeFormats: Readonly<Record<ir.SpanAttribute, string>> = {
  'client.address': '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%',
  'http.request.method': '%REQUEST_HEADER(:METHOD)%',
  'http.response.status_code': '%RESPONSE_CODE%',
  'http.route': '%ROUTE_NAME%',
  'url.path': '%PATH(NQ:ORIG_OR_PATH)%',
  'user_agent.original': '%REQUEST_HEADER(USER-AGENT)%',
};
