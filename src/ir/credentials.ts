import type { Sensitive } from './sensitive.ts';

/** Where a credential is looked for. */
export type CredentialSource =
  | { readonly kind: 'header'; readonly name: string; readonly prefix?: string }
  | { readonly kind: 'cookie'; readonly name: string }
  | { readonly kind: 'query'; readonly name: string };

export interface ApiKeys {
  /** JSON of `[[client, key], …]`, sorted by client and key, no key twice. */
  readonly keys: Sensitive;
  /** At least one. */
  readonly from: readonly CredentialSource[];
  /** Says the client's name to backends; removed from what clients send. */
  readonly identityHeader?: string;
  readonly forwardKey: boolean;
}

export interface BasicAuth {
  /** Lines of `USER:HASH`, at least one, no user twice, no comments. */
  readonly htpasswd: Sensitive;
  /** Some hashes are not `{SHA}`: the agent checks passwords, since Envoy cannot. */
  readonly hashed?: true;
  readonly realm?: string;
  /** Says the user's name to backends; removed from what clients send. */
  readonly userHeader?: string;
}

/** A token of any of the providers. */
export interface Jwt {
  /** Without a token requests pass; a bad one is denied all the same. */
  readonly optional: boolean;
  /** At least one. */
  readonly providers: readonly JwtProvider[];
}

export interface JwtProvider {
  /** `NAMESPACE/POLICY/PROVIDER`: where rules of any level find its claims. */
  readonly id: string;
  readonly issuer?: string;
  /** Any of them; empty: whatever the token says. */
  readonly audiences: readonly string[];
  /** A JWK Set in JSON, public keys alone. */
  readonly keys: string;
  /** Empty: `Authorization: Bearer`. */
  readonly from: readonly CredentialSource[];
  readonly forwardToken: boolean;
  readonly claimsToHeaders: readonly { readonly claim: readonly string[]; readonly header: string }[];
  /** Rules of some policy ask for its claims. */
  readonly claimsRead?: true;
}
