/** The statuses of gRPC for those of HTTP, as the page says. Source: gRPC, HTTP to gRPC Status Code Mapping. */
const callStatuses: Readonly<Record<string, number>> = { 401: 16, 403: 7, 404: 12, 502: 14, 503: 14 };
const unknown = 2;

/** Calls are not led to another path: INTERNAL. Source: Envoy, path_with_escaped_slashes_action. */
const redirected = 'grpc 13';

/** What a call gets where another request gets this verdict of a proxy's own. What backends answer is the same. */
export function toCall(verdict: string): string {
  // A login begins with the same redirect for all.
  if (verdict.startsWith('200') || verdict === '302') return verdict;
  return verdict === '307' ? redirected : `grpc ${callStatuses[verdict] ?? unknown}`;
}
