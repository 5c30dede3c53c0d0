import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { AdmissionControlSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { durationOf } from '../../resource/index.ts';

/** What succeeds is what Envoy takes for it: every status below 500, and of gRPC those that are no fault of the server. */
export function admission({ successRate, windowMs, minRequestsPerSecond, maxRejected }: ir.Admission): Any {
  const control = create(AdmissionControlSchema, {
    evaluationCriteria: { case: 'successCriteria', value: {} },
    samplingWindow: durationOf(windowMs),
    srThreshold: { defaultValue: { value: successRate } },
    rpsThreshold: { defaultValue: minRequestsPerSecond },
    maxRejectionProbability: { defaultValue: { value: maxRejected } },
  });
  return packAny(AdmissionControlSchema, control);
}
