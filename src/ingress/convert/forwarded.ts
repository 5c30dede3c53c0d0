import type { Fields } from '../features/part.ts';

/** As a proxy before the Gateway says it. The Gateway takes its word only where `trustedCIDRs` of a ListenerPolicy names it, and else writes `http`. */
const byHttps: Fields = { type: 'Exact', name: 'X-Forwarded-Proto', value: 'https' };

/**
 * A rule for requests that a proxy before the Gateway took by HTTPS and sends on by HTTP. With `use-forwarded-headers` nginx does not send
 * them to HTTPS: clients would be redirected without end.
 */
export const forwardedRule = (rule: Fields): Fields => ({
  ...rule,
  matches: ((rule.matches as readonly Fields[] | undefined) ?? [{}]).map((match) => ({
    ...match,
    headers: [...((match.headers as readonly Fields[] | undefined) ?? []), byHttps],
  })),
});
