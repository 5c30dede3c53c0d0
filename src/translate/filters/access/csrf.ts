import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { CsrfPolicySchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { stringMatcher } from '../../resource/index.ts';

const percent = (numerator: number) => ({ defaultValue: { numerator } });

export const csrf = ({ additionalOrigins, shadow, shadowPercent = shadow ? 100 : 0 }: ir.Csrf): Any =>
  packAny(
    CsrfPolicySchema,
    create(CsrfPolicySchema, {
      filterEnabled: percent(100 - shadowPercent),
      // Of those for which the filter is not enabled.
      ...(shadowPercent > 0 && { shadowEnabled: percent(100) }),
      additionalOrigins: additionalOrigins.map(stringMatcher),
    }),
  );
