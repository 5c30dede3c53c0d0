/** What a token says of itself, unchecked: for a quick and clear rejection before the API server checks it. */
export interface TokenClaims {
  readonly audiences: readonly string[];
  /** `exp`; undefined when there is none. */
  readonly expiresAt: Date | undefined;
}

/** The claims of a JSON web token; undefined when it is none. The signature is not looked at. */
export function claimsOf(token: string): TokenClaims | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  try {
    const claims = JSON.parse(Buffer.from(parts[1]!, 'base64url').toString('utf8')) as unknown;
    if (typeof claims !== 'object' || claims === null) return undefined;
    const { aud, exp } = claims as { readonly aud?: unknown; readonly exp?: unknown };
    return {
      audiences: (Array.isArray(aud) ? aud : [aud]).filter((audience) => typeof audience === 'string'),
      expiresAt: typeof exp === 'number' ? new Date(exp * 1000) : undefined,
    };
  } catch {
    return undefined;
  }
}

/** Who Kubernetes says a ServiceAccount is: `system:serviceaccount:NAMESPACE:NAME`. */
export function serviceAccountOf(username: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}
