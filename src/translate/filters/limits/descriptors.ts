import type { MessageInitShape } from '@bufbuild/protobuf';
import type { RateLimitSchema } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { hitsOf } from './cost.ts';
import { keyStep } from './keys.ts';
import { type Action, matchSteps } from './match.ts';

/**
 * What a ratelimit service is asked about a request that a bucket matches: its descriptor, and then what requests differ by. Envoy makes an entry for
 * whatever is compared, so these carry the first entries of the descriptor: there are at least as many.
 */
export function descriptorOf(bucket: ir.LimitBucket): MessageInitShape<typeof RateLimitSchema> {
  const { match, descriptor = [], key, exempt = false } = bucket;
  const compared = match ? matchSteps(match, descriptor) : [];
  const hitsAddend = hitsOf(bucket);
  return {
    ...(hitsAddend && { hitsAddend }),
    actions: [
      ...compared.map(({ action }) => action),
      ...descriptor.slice(compared.length).map(fixedEntry),
      ...key.map((part) => keyAction(part, exempt)),
    ],
  };
}

const fixedEntry = ({ key, value }: ir.LimitEntry): Action => ({
  actionSpecifier: { case: 'genericKey', value: { descriptorKey: key, descriptorValue: value } },
});

function keyAction(key: ir.LimitKey, exempt: boolean): Action {
  if (key.kind !== 'clientIP') return keyStep(key, entryName(key), exempt).action;
  const isWhole = key.v4Prefix === 32 && key.v6Prefix === 128;
  return isWhole
    ? { actionSpecifier: { case: 'remoteAddress', value: {} } }
    : keyStep(key, 'masked_remote_address', exempt).action;
}

const entryName = (key: Exclude<ir.LimitKey, { kind: 'clientIP' }>): string =>
  key.entry ?? ('name' in key ? key.name : key.kind);
