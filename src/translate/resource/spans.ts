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

export const customTag = (tag: ir.SpanTag): CustomTag => ({
  tag: tag.name,
  type:
    'value' in tag
      ? { case: 'literal', value: { value: tag.value } }
      : {
          case: 'requestHeader',
          value: { name: tag.header, ...(tag.otherwise !== undefined && { defaultValue: tag.otherwise }) },
        },
});
