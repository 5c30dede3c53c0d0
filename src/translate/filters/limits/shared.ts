import type { MessageInitShape } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { agentService, limitDescriptor, sharedBucketText } from '../../../contracts/index.ts';
import { ApiVersion, packAny, RateLimitFilterSchema, type RateLimitSchema } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { durationOf } from '../../resource/index.ts';
import { stepsOf } from './bucket.ts';

/** The agent answers sooner, whether the control plane does or not. */
const answerMs = 5000;
const unavailable = 503;

/** Asks the agent about all buckets of one status that all proxies share. It waits for the answer, so it is the last filter of its list. */
export function sharedFilter(buckets: readonly ir.LimitBucket[], status: number): Any {
  return packAny(
    RateLimitFilterSchema,
    create(RateLimitFilterSchema, {
      domain: limitDescriptor.domain,
      timeout: durationOf(answerMs),
      failureModeDeny: buckets.some(({ shared, shadow }) => shared === 'reject' && !shadow),
      statusOnError: { code: unavailable },
      rateLimitedStatus: { code: status },
      rateLimitedAsResourceExhausted: true,
      disableXEnvoyRatelimitedHeader: true,
      rateLimitService: {
        grpcService: {
          targetSpecifier: { case: 'envoyGrpc', value: { clusterName: agentService } },
          timeout: durationOf(answerMs),
        },
        transportApiVersion: ApiVersion.V3,
      },
      rateLimits: buckets.map(rateLimit),
    }),
  );
}

function rateLimit(bucket: ir.LimitBucket): MessageInitShape<typeof RateLimitSchema> {
  const { id, limits, shadow = false, headers, shared } = bucket;
  const descriptorValue = sharedBucketText({ id, windows: limits, shadow, headers, closes: shared === 'reject' });
  const { match, key } = stepsOf(bucket);
  return {
    actions: [
      { actionSpecifier: { case: 'genericKey', value: { descriptorKey: limitDescriptor.bucket, descriptorValue } } },
      ...[...match, ...key].map(({ action }) => action),
    ],
  };
}
