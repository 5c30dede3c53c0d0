import type { MessageInitShape } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  limitDescriptor,
  rememberedAs,
  type SharedBucket,
  sharedBucketText,
  sharedLimitService,
} from '../../../contracts/index.ts';
import {
  ApiVersion,
  packAny,
  RateLimitFilterSchema,
  type RateLimitSchema,
  RateLimit_Action_MetaData_Source as Source,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { durationOf } from '../../resource/index.ts';
import { stepsOf } from './bucket.ts';
import { hitsOf } from './cost.ts';
import type { Action } from './match.ts';

/** The agent answers sooner, whether the control plane does or not. */
const answerMs = 5000;
const unavailable = 503;

/** Asks the agent about all buckets of one status that all proxies share. It waits for the answer, so it is the last filter of its list. */
export function sharedFilter({ target, buckets }: ir.TargetLimits, status: number): Any {
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
          targetSpecifier: { case: 'envoyGrpc', value: { clusterName: sharedLimitService } },
          timeout: durationOf(answerMs),
        },
        transportApiVersion: ApiVersion.V3,
      },
      rateLimits: buckets.flatMap((bucket) => [
        ofRequest(bucket, bucket.byTarget && target),
        ...ofResponse(bucket, bucket.byTarget && target),
      ]),
    }),
  );
}

type RateLimit = MessageInitShape<typeof RateLimitSchema>;

function ofRequest(bucket: ir.LimitBucket, target: string | undefined): RateLimit {
  const { match, key } = stepsOf(bucket);
  const hitsAddend = hitsOf(bucket);
  return {
    ...(hitsAddend && { hitsAddend }),
    actions: [
      bucketStep(bucket, bucket.responseCost ? { remembers: true } : {}),
      ...(target === undefined ? [] : [targetStep(target)]),
      ...[...match, ...key].map(({ action }) => action),
    ],
  };
}

/** A part of the key: what the policy is for. */
const targetStep = (descriptorValue: string): Action => ({
  actionSpecifier: { case: 'genericKey', value: { descriptorKey: limitDescriptor.target, descriptorValue } },
});

/** When a response has ended, filters and backends may have changed all that keys are made of. So the request's key was kept. */
function ofResponse(bucket: ir.LimitBucket, target: string | undefined): RateLimit[] {
  const { id, responseCost } = bucket;
  if (!responseCost) return [];
  const metadataKey = {
    key: limitDescriptor.metadata,
    path: [{ segment: { case: 'key' as const, value: rememberedAs(id, target) } }],
  };
  const value = { source: Source.DYNAMIC, metadataKey, descriptorKey: limitDescriptor.key };
  return [
    {
      applyOnStreamDone: true,
      hitsAddend: { format: `%RESP(${responseCost.name})%` },
      actions: [
        bucketStep(bucket, { charges: responseCost.most }),
        { actionSpecifier: { case: 'metadata' as const, value } },
      ],
    },
  ];
}

function bucketStep(
  { id, limits, shadow, headers, shared }: ir.LimitBucket,
  more: Pick<SharedBucket, 'remembers' | 'charges'>,
): Action {
  const closes = shared === 'reject';
  const text = sharedBucketText({ id, windows: limits, shadow: shadow ?? false, headers, closes, ...more });
  const value = { descriptorKey: limitDescriptor.bucket, descriptorValue: text };
  return { actionSpecifier: { case: 'genericKey', value } };
}
