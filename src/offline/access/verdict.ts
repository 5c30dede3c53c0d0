/** What one part does with a request. */
export type Verdict =
  | { readonly verdict: 'passes'; readonly reason: string }
  /** `status`: what the proxy answers. */
  | { readonly verdict: 'denies'; readonly status: number; readonly reason: string }
  /** A server decides, which is not asked here. */
  | { readonly verdict: 'asks'; readonly server: string; readonly reason: string }
  /** What was said of the request does not decide it. */
  | { readonly verdict: 'unknown'; readonly reason: string };

export const passes = (reason: string): Verdict => ({ verdict: 'passes', reason });
export const denies = (status: number, reason: string): Verdict => ({ verdict: 'denies', status, reason });
export const unknown = (reason: string): Verdict => ({ verdict: 'unknown', reason });

/** Of text that a client or a token has: short, and on one line. */
export const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
