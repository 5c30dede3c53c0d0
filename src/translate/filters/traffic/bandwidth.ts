import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { HTTPFaultSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { fractionOf, million } from '../../resource/index.ts';

/** Each answer by itself, as clients of Envoy's filter for faults may want to see them. What all have together is in slots of its own. */
export function bandwidth({ answerKiB }: ir.Bandwidth): Any | undefined {
  if (answerKiB === undefined) return undefined;
  const fault = create(HTTPFaultSchema, {
    responseRateLimit: {
      limitType: { case: 'fixedLimit', value: { limitKbps: BigInt(answerKiB) } },
      percentage: fractionOf(million),
    },
    disableDownstreamClusterStats: true,
  });
  return packAny(HTTPFaultSchema, fault);
}
