import type { DnsGuard } from '../dns/index.ts';

/** `/api/v1/stats/names`: what Envoy asked for, and the names that lead where no request may be sent, the newest first. */
export const namesRecord = ({ asked, failed, refusals }: Pick<DnsGuard, 'asked' | 'failed' | 'refusals'>) => ({
  asked,
  failed,
  refused: refusals.total,
  names: refusals
    .list()
    .toReversed()
    .map(({ name, message, at, times }) => ({ name, message, times, last_at: at.toISOString() })),
});
