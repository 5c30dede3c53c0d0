import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { limitHeaders, parsePolicyOfBucketId } from '../../../contracts/index.ts';
import {
  ApiVersion,
  packAny,
  RateLimitFilterSchema,
  RateLimitFilter_XRateLimitHeadersRFCVersion as Version,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { askedAgain, clusterName, durationOf, invalidCluster } from '../../resource/index.ts';
import { descriptorOf } from './descriptors.ts';

const unavailable = 503;

/** Asks a ratelimit service about all buckets of one policy. It waits for the answer, so it is the last filter of its list. */
export function serviceFilter(buckets: readonly ir.LimitBucket[], service: ir.LimitServer): Any {
  const { backend, authority, domain, timeoutMs, failOpen } = service;
  const { status = unavailable, shadow, id = '' } = buckets[0] ?? {};
  const timeout = durationOf(timeoutMs);
  return packAny(
    RateLimitFilterSchema,
    create(RateLimitFilterSchema, {
      domain,
      timeout,
      statPrefix: parsePolicyOfBucketId(id),
      failureModeDeny: !failOpen && !shadow,
      statusOnError: { code: unavailable },
      rateLimitedStatus: { code: status },
      rateLimitedAsResourceExhausted: true,
      disableXEnvoyRatelimitedHeader: true,
      enableRetryAfterHeader: true,
      enableXRatelimitHeaders: buckets.some(({ headers }) => headers) ? Version.DRAFT_VERSION_03 : Version.OFF,
      ...(shadow && { filterEnforced: { defaultValue: { numerator: 0 } } }),
      responseHeadersToAdd: [{ header: { key: limitHeaders.rejected, value: nameOf(id, buckets.length) } }],
      rateLimitService: {
        grpcService: {
          targetSpecifier: {
            case: 'envoyGrpc',
            value: {
              clusterName: backend === undefined ? invalidCluster : clusterName(backend),
              authority,
            },
          },
          timeout,
          retryPolicy: askedAgain,
        },
        transportApiVersion: ApiVersion.V3,
      },
      rateLimits: buckets.map(descriptorOf),
    }),
  );
}

/** Of several buckets, the service does not say which one is empty: then it is the policy's name. */
const nameOf = (id: string, buckets: number): string => (buckets === 1 ? id : parsePolicyOfBucketId(id));
