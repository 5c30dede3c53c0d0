import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { limitHeaders, limitStats } from '../../../contracts/index.ts';
import {
  type LocalRateLimitDescriptorSchema,
  LocalRateLimitSchema,
  packAny,
  type RateLimitSchema,
  RateLimit_XRateLimitOption as XRateLimit,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { durationOf } from '../../resource/index.ts';
import { hitsOf } from './cost.ts';
import { keyStep } from './keys.ts';
import { matchSteps, type Step } from './match.ts';

type Descriptor = MessageInitShape<typeof LocalRateLimitDescriptorSchema>;

const always = { defaultValue: { numerator: 100 } };
const never = { defaultValue: { numerator: 0 } };

/** Envoy has one for requests that no bucket is for. It is never empty. */
const unlimited = { maxTokens: 4_294_967_295, tokensPerFill: 4_294_967_295, fillInterval: durationOf(1000) };

/** How many keys of a bucket are kept. Beyond it, the one that was used last the longest ago is full again. */
const mostKeys = 10_000;

/** A filter for each bucket, so that each has its own counters, status and headers. */
export function bucketFilter(bucket: ir.LimitBucket): Any {
  const { id, limits, status, shadow } = bucket;
  const steps = stepsOf(bucket);
  return packAny(
    LocalRateLimitSchema,
    create(LocalRateLimitSchema, {
      statPrefix: `${limitStats}${id}`,
      status: { code: status },
      filterEnabled: always,
      filterEnforced: shadow ? never : always,
      tokenBucket: unlimited,
      // Else requests that a bucket is for would count here too.
      alwaysConsumeDefaultTokenBucket: false,
      maxDynamicDescriptors: mostKeys,
      enableRetryAfterHeader: true,
      rateLimitedAsResourceExhausted: true,
      ...(shadow
        ? { requestHeadersToAddWhenNotEnforced: [{ header: { key: limitHeaders.shadowed, value: id } }] }
        : { responseHeadersToAdd: [{ header: { key: limitHeaders.rejected, value: id } }] }),
      rateLimits: limits.map((_, window) => rateLimit(bucket, window, steps)),
      descriptors: limits.flatMap((limit, window) => descriptorsOf(limit, window, steps)),
    }),
  );
}

/** What of a request a bucket looks at. */
export interface Steps {
  readonly match: readonly Step[];
  readonly key: readonly ReturnType<typeof keyStep>[];
}

export const stepsOf = ({ match, key, exempt }: ir.LimitBucket): Steps => ({
  match: match ? matchSteps(match) : [],
  key: key.map((part, at) => keyStep(part, `k${at}`, exempt === true)),
});

const windowKey = 'w';

function rateLimit(
  bucket: ir.LimitBucket,
  window: number,
  { match, key }: Steps,
): MessageInitShape<typeof RateLimitSchema> {
  const descriptorValue = String(window);
  const shows = bucket.headers === 'xRateLimit' && !bucket.shadow;
  const hitsAddend = hitsOf(bucket);
  return {
    actions: [
      { actionSpecifier: { case: 'genericKey', value: { descriptorKey: windowKey, descriptorValue } } },
      ...[...match, ...key].map(({ action }) => action),
    ],
    ...(hitsAddend && { hitsAddend }),
    xRatelimitOption: shows ? XRateLimit.DRAFT_VERSION_03 : XRateLimit.OFF,
  };
}

/** One for each way of lacking parts of the key: Envoy compares descriptors as wholes. */
function descriptorsOf({ requests, perMs, burst }: ir.RateLimit, window: number, { match, key }: Steps): Descriptor[] {
  const tokenBucket = { maxTokens: burst, tokensPerFill: requests, fillInterval: durationOf(perMs) };
  const fixed = [{ key: windowKey, value: String(window) }, ...match.map(({ entry }) => entry)];
  return variantsOf(key).map((entries) => ({ entries: [...fixed, ...entries], tokenBucket }));
}

function variantsOf([first, ...rest]: Steps['key']): readonly Step['entry'][][] {
  if (!first) return [[]];
  const others = variantsOf(rest);
  const having = others.map((entries) => [first.entry, ...entries]);
  return first.isOptional ? [...having, ...others] : having;
}
