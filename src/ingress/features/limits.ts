import { entriesOf } from '../annotations/index.ts';
import { annotated, type Finding } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { type Fields, nothing, only, type Part } from './part.ts';

const rates = [
  ['limit-rps', 'per-second', '1s'],
  ['limit-rpm', 'per-minute', '1m'],
] as const;
/** Of a window and a burst. Source: RateLimitPolicy. */
const mostRequests = 4_294_967_295;
const statuses = new Set([403, 429, 503]);

const ofClient = { type: 'ClientIP', v6Prefix: 128 } as const;

/** `limit-rps`, `limit-rpm` and `limit-connections`. */
export function limits(settings: SettingsOf): Part {
  const [rate, underWay] = [rateLimits(settings), connections(settings)];
  if (rate.buckets === undefined || underWay.buckets === undefined)
    return { ...rate, ...underWay, findings: [...rate.findings, ...underWay.findings] };
  // One policy has one status.
  const isOne = rate.limitStatus === underWay.limitStatus;
  const status: readonly Finding[] = isOne
    ? []
    : [{ verdict: 'differs', about: 'limit-conn-status-code', text: `clients get ${rate.limitStatus}, as for rates` }];
  return {
    ...rate,
    findings: [...rate.findings, ...underWay.findings, ...status],
    buckets: [...rate.buckets, ...underWay.buckets],
  };
}

/** Source: RateLimitPolicy. */
const mostUnderWay = 1_000_000;

/** `limit-connections`: requests that are under way at once. */
function connections(settings: SettingsOf): Part {
  const concurrent = settings.number('limit-connections');
  if (concurrent <= 0) return nothing;
  if (entriesOf(settings.get('limit-allowlist')).length > 0)
    return only(annotated('limit-connections', 'cannot', 'with limit-allowlist: such a limit exempts no addresses'));
  return {
    findings: [annotated('limit-connections')],
    buckets: [{ name: 'under-way', key: [ofClient], concurrent: Math.min(concurrent, mostUnderWay) }],
    limitStatus: statusOf(settings.config['limit-conn-status-code']),
  };
}

/** A leaky bucket that lets rate × multiplier + 1 through at once. */
function rateLimits(settings: SettingsOf): Part {
  const used = rates.filter(([name]) => settings.number(name) > 0);
  if (used.length === 0) return nothing;
  const multiplier = Math.max(1, settings.number('limit-burst-multiplier'));
  const exempt = entriesOf(settings.get('limit-allowlist'));
  const buckets = used.map(([name, bucket, per]): Fields => {
    const requests = Math.min(settings.number(name), mostRequests);
    return {
      name: bucket,
      ...(exempt.length > 0 && { match: { clientCIDRs: { exclude: exempt } } }),
      key: [ofClient],
      limits: [{ requests, per, burst: Math.min(requests * multiplier + 1, mostRequests) }],
    };
  });
  const asked = Number(settings.config['limit-req-status-code'] ?? 503);
  const odd: readonly Finding[] = statuses.has(asked)
    ? []
    : [{ verdict: 'differs', about: 'limit-req-status-code', text: `clients that are limited get 429, not ${asked}` }];
  return {
    findings: [...used.map(([name]) => annotated(name)), ...odd],
    buckets,
    limitStatus: statusOf(settings.config['limit-req-status-code']),
  };
}

const statusOf = (asked = '503'): number => (statuses.has(Number(asked)) ? Number(asked) : 429);
