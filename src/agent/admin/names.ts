import type { DnsGuard } from '../dns/index.ts';

/** `/api/v1/stats/names`: what Envoy asked for, and the names that lead where no request may be sent, the newest first. */
export const namesRecord = ({ asked, failed, rejections }: Pick<DnsGuard, 'asked' | 'failed' | 'rejections'>) => ({
  asked,
  failed,
  refused: rejections.total,
  names: rejections
    .list()
    .toReversed()
    .map(({ name, message, at, times }) => ({ name, message, times, last_at: at.toISOString() })),
});
