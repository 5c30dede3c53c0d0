import { entriesOf } from '../annotations/index.ts';
import { annotated, type Finding } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { type Fields, nothing, type Part } from './part.ts';

const rates = [
  ['limit-rps', 'per-second', '1s'],
  ['limit-rpm', 'per-minute', '1m'],
] as const;
/** Of a window and a burst. Source: RateLimitPolicy. */
const mostRequests = 4_294_967_295;
const statuses = new Set([403, 429, 503]);

/** `limit-rps` and `limit-rpm`: a leaky bucket that lets rate × multiplier + 1 through at once. */
export function limits(settings: SettingsOf): Part {
  const used = rates.filter(([name]) => settings.number(name) > 0);
  if (used.length === 0) return nothing;
  const multiplier = Math.max(1, settings.number('limit-burst-multiplier'));
  const exempt = entriesOf(settings.get('limit-allowlist'));
  const buckets = used.map(([name, bucket, per]): Fields => {
    const requests = Math.min(settings.number(name), mostRequests);
    return {
      name: bucket,
      ...(exempt.length > 0 && { match: { clientCIDRs: { exclude: exempt } } }),
      key: [{ type: 'ClientIP', v6Prefix: 128 }],
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
    limitStatus: statuses.has(asked) ? asked : 429,
  };
}
