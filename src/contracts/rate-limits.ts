/** What the names of Envoy's statistics of a bucket begin with; behind it come `NAMESPACE/POLICY/BUCKET` and `.http_local_rate_limit.COUNTER`. */
export const limitStats = 'gatewright.limit.';

/** Dynamic metadata of a request: which bucket rejected it, or would have. */
export const limitMetadata = { namespace: 'gatewright.limit', rejected: 'rejected', shadowed: 'shadowed' } as const;

/** Headers from one filter to another: on the way back which bucket rejected a request, and on the way there which one would have. */
export const limitHeaders = { rejected: 'x-gw-limit', shadowed: 'x-gw-limit-shadowed' } as const;
