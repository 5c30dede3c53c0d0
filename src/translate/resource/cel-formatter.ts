import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { CelSchema, packAny, type TypedExtensionConfigSchema } from '../../envoy/index.ts';

/** For texts with `%CEL(…)%` that take strings apart and put them together. */
export const celFormatter: MessageInitShape<typeof TypedExtensionConfigSchema> = {
  name: 'envoy.formatter.cel',
  typedConfig: packAny(
    CelSchema,
    create(CelSchema, { celConfig: { enableStringFunctions: true, enableStringConcat: true } }),
  ),
};
