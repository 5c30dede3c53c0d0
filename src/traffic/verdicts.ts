import type { Failure } from './failure-ring.ts';

/** What can be said of an endpoint, the worst first, with the words for it. */
export const verdictWords = {
  not_ready: 'is not ready',
  terminating: 'is terminating',
  health_check_fails: 'fails its health check',
  health_check_times_out: 'does not answer its health check in time',
  ejected: 'is ejected by outlier detection',
  refuses_connections: 'refuses connections (UF)',
  unreachable: 'cannot be reached (UF)',
  tls_fails: 'fails the TLS handshake (UF)',
  times_out: 'does not answer in time (UT)',
  closes_connections: 'closes connections before its answer is complete (UC)',
  resets_requests: 'resets requests (UR)',
  breaks_protocol: 'breaks the HTTP protocol (UPE)',
  answers_5xx: 'answers 5xx',
  serving: 'is serving',
} as const;

export type VerdictCode = keyof typeof verdictWords;

/** What a failed request says of the endpoint that it was sent to; undefined: nothing. */
export function verdictOfFailure({
  flags,
  status,
  transportFailure,
  details,
}: Pick<Failure, 'flags' | 'status' | 'transportFailure' | 'details'>):
  | { readonly code: VerdictCode; readonly detail: string }
  | undefined {
  const detail = transportFailure || details;
  if (flags.includes('UF')) return { code: connectVerdict(`${transportFailure} ${details}`), detail };
  const byFlag = (
    [
      ['UT', 'times_out'],
      ['UC', 'closes_connections'],
      ['UR', 'resets_requests'],
      ['UPE', 'breaks_protocol'],
    ] as const
  ).find(([flag]) => flags.includes(flag));
  if (byFlag !== undefined) return { code: byFlag[1], detail };
  return flags.length === 0 && status >= 500 ? { code: 'answers_5xx', detail: String(status) } : undefined;
}

function connectVerdict(text: string): VerdictCode {
  if (/TLS_error|CERTIFICATE|handshake/i.test(text)) return 'tls_fails';
  return /refused|immediate_connect_error/i.test(text) ? 'refuses_connections' : 'unreachable';
}
