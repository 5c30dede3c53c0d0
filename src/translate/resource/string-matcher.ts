import type { MessageInitShape } from '@bufbuild/protobuf';
import type { StringMatcherSchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';

/** Regular expressions match whole values in Envoy too. */
export const stringMatcher = ({ kind, value }: ir.ValueMatch): MessageInitShape<typeof StringMatcherSchema> => ({
  matchPattern: kind === 'exact' ? { case: 'exact', value } : { case: 'safeRegex', value: { regex: value } },
});
