import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { CsrfPolicySchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { stringMatcher } from '../../resource/index.ts';

const always = { defaultValue: { numerator: 100 } };
const never = { defaultValue: { numerator: 0 } };

export const csrf = ({ additionalOrigins, shadow }: ir.Csrf): Any =>
  packAny(
    CsrfPolicySchema,
    create(CsrfPolicySchema, {
      filterEnabled: shadow ? never : always,
      ...(shadow && { shadowEnabled: always }),
      additionalOrigins: additionalOrigins.map(stringMatcher),
    }),
  );
