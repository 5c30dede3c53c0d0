import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { HTTPFaultSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { durationOf, fractionOf } from '../../resource/index.ts';

export function faults({ delay, abort, header }: ir.Faults): Any {
  const fault = create(HTTPFaultSchema, {
    ...(delay && {
      delay: {
        faultDelaySecifier: { case: 'fixedDelay', value: durationOf(delay.ms) },
        percentage: fractionOf(delay.perMillion),
      },
    }),
    ...(abort && {
      abort: { errorType: { case: 'httpStatus', value: abort.status }, percentage: fractionOf(abort.perMillion) },
    }),
    ...(header && {
      headers: [
        {
          name: header.name,
          headerMatchSpecifier:
            header.value === undefined
              ? { case: 'presentMatch', value: true }
              : { case: 'stringMatch', value: { matchPattern: { case: 'exact', value: header.value } } },
        },
      ],
    }),
    disableDownstreamClusterStats: true,
  });
  return packAny(HTTPFaultSchema, fault);
}
