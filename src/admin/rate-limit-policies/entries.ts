import type { LimitHolding } from '../../graph/index.ts';
import * as ir from '../../ir/index.ts';
import { nameOf } from '../access/judged.ts';
import type { Placed } from '../policy-places/places.ts';
import type { RateLimitPolicyEntry, RequestLimit } from './record.ts';

/** A bucket as the API has it. */
export const requestLimitOf = ({ bucket, level, policy, phase, match, value }: LimitHolding): RequestLimit => ({
  bucket,
  level,
  policy: nameOf(policy),
  phase,
  match: match ?? null,
  key: value?.key.map((each) => ({ ...each })) ?? [],
  limits: value?.limits.map((each) => ({ ...each })) ?? [],
  concurrent: value?.concurrent ?? null,
  cost: value?.cost ? { ...value.cost } : null,
  responseCost: value?.responseCost ? { ...value.responseCost } : null,
  counting: value ? countingOf(value) : null,
  service: value?.service ? serviceOf(value.service, value.descriptor) : null,
  shadow: value?.shadow === true,
  status: value?.status ?? null,
});

function countingOf({ shared, service }: ir.LimitBucket): 'proxy' | 'shared' | 'service' {
  if (service) return 'service';
  return shared ? 'shared' : 'proxy';
}

const serviceOf = (
  { backend, domain, timeoutMs, failOpen }: ir.LimitServer,
  descriptor: readonly ir.LimitEntry[] = [],
): NonNullable<RequestLimit['service']> => ({
  backend: backend ?? null,
  domain,
  timeoutMs,
  failOpen,
  descriptor: descriptor.map((each) => ({ ...each })),
});

/** Buckets at places. What one listener has alone may be behind what it has in common with others: phases come in order all the same. */
export const rateLimitEntries = (placed: readonly Placed<LimitHolding>[]): RateLimitPolicyEntry[] =>
  ir.limitPhases.flatMap((phase) => placed.filter(({ holding }) => holding.phase === phase)).map(entryOf);

function entryOf({ place, holding }: Placed<LimitHolding>, order: number): RateLimitPolicyEntry {
  const { value, faults, idle } = holding;
  const state = value === undefined || idle !== undefined ? 'leftOut' : value.shadow ? 'shadow' : 'inForce';
  const said = [...faults.map((each) => each.message), ...(idle === undefined ? [] : [idle])];
  const message = said.length === 0 ? null : said.join('; ');
  return { ...place, order, ...requestLimitOf(holding), state, message };
}
