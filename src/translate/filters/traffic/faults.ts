import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { type HeaderMatcherSchema, HTTPFaultSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { durationOf, fractionOf, stringMatcher } from '../../resource/index.ts';

type HeaderMatcher = MessageInitShape<typeof HeaderMatcherSchema>;

const errorOf = ({ status = 503, grpcStatus }: NonNullable<ir.Faults['abort']>) =>
  grpcStatus === undefined
    ? { case: 'httpStatus' as const, value: status }
    : { case: 'grpcStatus' as const, value: grpcStatus };

/** Other requests would be answered 200. */
const isCall: HeaderMatcher = {
  name: 'content-type',
  headerMatchSpecifier: {
    case: 'stringMatch',
    value: stringMatcher({ kind: 'regex', value: 'application/grpc([+;].*)?' }),
  },
};

const matcherOf = ({ name, value }: NonNullable<ir.Faults['header']>): HeaderMatcher => ({
  name,
  headerMatchSpecifier:
    value === undefined
      ? { case: 'presentMatch', value: true }
      : { case: 'stringMatch', value: stringMatcher({ kind: 'exact', value }) },
});

export function faults({ delay, abort, header }: ir.Faults): Any {
  const fault = create(HTTPFaultSchema, {
    ...(delay && {
      delay: {
        faultDelaySecifier: { case: 'fixedDelay', value: durationOf(delay.ms) },
        percentage: fractionOf(delay.perMillion),
      },
    }),
    ...(abort && {
      abort: { errorType: errorOf(abort), percentage: fractionOf(abort.perMillion) },
    }),
    headers: [...(abort?.grpcStatus === undefined ? [] : [isCall]), ...(header ? [matcherOf(header)] : [])],
    disableDownstreamClusterStats: true,
  });
  return packAny(HTTPFaultSchema, fault);
}
