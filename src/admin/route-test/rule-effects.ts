import type * as ir from '../../ir/index.ts';

/** What a rule does beside choosing backends. Only what it has is there. */
export interface RuleEffects {
  readonly requestHeaders?: ir.HeaderChanges;
  readonly responseHeaders?: ir.HeaderChanges;
  readonly requestTimeoutMs?: number;
  readonly backendRequestTimeoutMs?: number;
  readonly retries?: { readonly attempts: number; readonly codes: readonly number[] };
  /** Backends that get copies: `NAMESPACE/SERVICE/PORT`, and how many of a million requests. */
  readonly mirrors?: readonly ir.Mirror[];
  readonly cors?: { readonly origins: readonly string[]; readonly methods: readonly string[] };
  /** Who is asked before the request goes on; null: the reference is invalid, and every request is answered 500. */
  readonly externalAuth?: readonly (string | null)[];
}

export function ruleEffects({
  requestHeaders,
  responseHeaders,
  requestTimeoutMs,
  backendRequestTimeoutMs,
  retry,
  mirrors,
  cors,
  externalAuth,
}: ir.RouteRule): RuleEffects {
  return {
    ...(requestHeaders && { requestHeaders }),
    ...(responseHeaders && { responseHeaders }),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
    ...(backendRequestTimeoutMs !== undefined && { backendRequestTimeoutMs }),
    ...(retry && { retries: { attempts: retry.attempts, codes: retry.codes } }),
    ...(mirrors && mirrors.length > 0 && { mirrors }),
    ...(cors && { cors: { origins: cors.origins.map(({ value }) => value), methods: cors.methods } }),
    ...(externalAuth &&
      externalAuth.length > 0 && { externalAuth: externalAuth.map(({ backend }) => backend ?? null) }),
  };
}
