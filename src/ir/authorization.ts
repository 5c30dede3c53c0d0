import type { Cidr, ClientCertificates, ClientLocation } from './clients.ts';
import type { Expression } from './expression.ts';
import type { PathMatch, ValueMatch } from './route-match.ts';

/** Deny rules first, then Allow rules; then `default`. */
export interface Authorization {
  readonly default: 'Allow' | 'Deny';
  readonly rules: readonly AuthorizationRule[];
}

export interface AuthorizationRule {
  /** `NAMESPACE/POLICY/RULE`, for response code details and logs. */
  readonly id: string;
  readonly action: 'Allow' | 'Deny';
  /** Any of them; empty: every request. */
  readonly when: readonly AccessCondition[];
}

/** All fields that are there must hold; of each list any entry. `not` turns the whole around. */
export interface AccessCondition {
  readonly methods?: readonly string[];
  readonly paths?: readonly PathMatch[];
  readonly headers?: readonly { readonly name: string; readonly values: readonly ValueMatch[] }[];
  readonly clientIPs?: readonly Cidr[];
  readonly clientLocations?: readonly ClientLocation[];
  readonly clientCertificates?: ClientCertificates;
  readonly jwt?: {
    /** JwtProvider.id. A provider that did not run matches nothing. */
    readonly provider: string;
    /** All of them. */
    readonly scopes: readonly string[];
    readonly claims: readonly { readonly path: readonly string[]; readonly values: readonly string[] }[];
  };
  /** In CEL. Where it is there, `not` is not. */
  readonly cel?: Expression;
  readonly not?: true;
}
