/** Annotations that mean nothing without another one, by the beginning of their names. */
const companions: readonly (readonly [beginning: RegExp, needed: string])[] = [
  [/^cors-/, 'enable-cors'],
  [/^canary-/, 'canary'],
  [/^(?:session-cookie-|affinity-)/, 'affinity'],
  [/^auth-(?:realm|secret)/, 'auth-type'],
  [/^auth-tls-(?!secret)/, 'auth-tls-secret'],
  [/^auth-(?!type|tls-|url|secret|realm)/, 'auth-url'],
  [/^permanent-redirect-code$/, 'permanent-redirect'],
  [/^temporal-redirect-code$/, 'temporal-redirect'],
  [/^limit-rate-after$/, 'limit-rate'],
  [/^mirror-(?!target)/, 'mirror-target'],
  [/^proxy-redirect-to$/, 'proxy-redirect-from'],
  [/^proxy-next-upstream-/, 'proxy-next-upstream'],
  [/^upstream-hash-by-subset/, 'upstream-hash-by'],
  [/^x-forwarded-prefix$/, 'rewrite-target'],
  [/^(?:enable-owasp|modsecurity)/, 'enable-modsecurity'],
  [/^disable-proxy-intercept-errors$/, 'custom-http-errors'],
];

/** The annotation without which another one has no effect. */
export const dependsOn = (name: string): string | undefined =>
  companions.find(([beginning]) => beginning.test(name))?.[1];
