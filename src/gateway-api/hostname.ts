/** The hostname that stands for every host: a listener or route without one. */
export const anyHost = '*';

const isWildcard = (hostname: string): boolean => hostname.startsWith('*');

/**
 * Whether every host that `narrow` stands for is also one of `wide`. `*.example.com` covers any depth below
 * example.com and never example.com itself. Source: Gateway API, Listener.hostname and HTTPRoute.spec.hostnames.
 */
export function coversHostname(wide: string, narrow: string): boolean {
  if (wide === anyHost || wide === narrow) return true;
  if (!isWildcard(wide)) return false;
  const suffix = wide.slice(1);
  return narrow === anyHost ? false : narrow.replace(/^\*/, '').endsWith(suffix) && narrow.length > suffix.length;
}

/** The hosts that both stand for, as one hostname; undefined when there are none. Either may be undefined, which means any host. */
export function intersectHostnames(one: string | undefined, other: string | undefined): string | undefined {
  const a = one?.toLowerCase() || anyHost;
  const b = other?.toLowerCase() || anyHost;
  if (coversHostname(a, b)) return b;
  return coversHostname(b, a) ? a : undefined;
}

/** Negative when `a` is the more specific: exact names first, then by length. Source: HTTPRoute.spec.hostnames, on precedence. */
export function compareSpecificity(a: string, b: string): number {
  return Number(isWildcard(a)) - Number(isWildcard(b)) || b.length - a.length;
}

/** The suffixes a host lies below, longest first, as wildcards: `a.b.c` gives `*.b.c`, `*.c`, `*`. A wildcard does not name itself. */
export function wildcardsAbove(hostname: string): string[] {
  if (hostname === anyHost) return [];
  const labels = hostname.split('.').slice(isWildcard(hostname) ? 2 : 1);
  return [...labels.map((_, index) => `*.${labels.slice(index).join('.')}`), anyHost];
}
