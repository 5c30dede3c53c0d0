import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Http1ProtocolOptionsSchema, PreserveCaseFormatterConfigSchema, packAny } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';

type Options = Extract<MessageInitShape<typeof Http1ProtocolOptionsSchema>, { readonly $typeName?: undefined }>;

/** Of clients or of backends. Undefined: Envoy's own. */
export function http1Options({
  http10,
  headerCase,
  trailers,
  ignoredUpgrades,
}: ir.Http1Settings = {}): Options | undefined {
  if (!http10 && !headerCase && !trailers && !ignoredUpgrades) return undefined;
  return {
    ...(http10 && { acceptHttp10: true }),
    ...(http10?.defaultHost !== undefined && { defaultHostForHttp10: http10.defaultHost }),
    ...(headerCase && { headerKeyFormat: keyFormat(headerCase) }),
    ...(trailers && { enableTrailers: true }),
    ...(ignoredUpgrades && {
      ignoreHttp11Upgrade: ignoredUpgrades.map((value) => ({
        matchPattern: { case: 'exact' as const, value },
        ignoreCase: true,
      })),
    }),
  };
}

/** Names are kept where both ends of the proxy say so: one reads them, the other writes them. */
function keyFormat(headerCase: ir.HeaderCase): Options['headerKeyFormat'] {
  if (headerCase === 'Proper') return { headerFormat: { case: 'properCaseWords', value: {} } };
  const config = create(PreserveCaseFormatterConfigSchema);
  const value = { name: 'preserve_case', typedConfig: packAny(PreserveCaseFormatterConfigSchema, config) };
  return { headerFormat: { case: 'statefulFormatter', value } };
}
