import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Who signs tokens in the model's world. */
export type Signer = 'staff' | 'machines' | 'stranger';

const pairs: Readonly<Record<Signer, { readonly publicKey: KeyObject; readonly privateKey: KeyObject }>> = {
  staff: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  machines: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  stranger: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

const algorithms: Readonly<Record<Signer, string>> = { staff: 'RS256', machines: 'ES256', stranger: 'RS256' };

/** The public keys of some signers, as a JWK Set. */
export const jwksOf = (...signers: readonly Signer[]): string =>
  JSON.stringify({
    keys: signers.map((signer) => ({
      ...pairs[signer].publicKey.export({ format: 'jwk' }),
      kid: signer === 'stranger' ? 'staff' : signer,
      alg: algorithms[signer],
      use: 'sig',
    })),
  });

/** A key by which who reads the set could sign. */
export const symmetricJwks = JSON.stringify({ keys: [{ kty: 'oct', k: 'c2VjcmV0LXNlY3JldC1zZWNyZXQ', alg: 'HS256' }] });

/** What a token says, and who signed it. */
export interface Token {
  readonly signer: Signer;
  readonly claims: Readonly<Record<string, unknown>> & { readonly iss: string; readonly aud: string };
  readonly isExpired?: true;
}

const issuer = 'https://id.test';

/** By name, so that a failing case can be read. */
export const tokens = {
  operator: {
    signer: 'staff',
    claims: {
      iss: issuer,
      aud: 'api',
      sub: 'ann',
      groups: ['ops', 'dev'],
      scope: 'read write',
      realm: { roles: ['admin'] },
    },
  },
  developer: { signer: 'staff', claims: { iss: issuer, aud: 'api', sub: 'bob', groups: 'dev', scope: 'read' } },
  guest: { signer: 'staff', claims: { iss: issuer, aud: 'other', sub: 'eve', groups: ['ops'] } },
  machine: {
    signer: 'machines',
    claims: { iss: 'https://machines.test', aud: 'api', sub: 'm1', groups: ['ops'], scope: 'write' },
  },
  expired: { signer: 'staff', claims: { iss: issuer, aud: 'api', groups: ['ops'] }, isExpired: true },
  forged: { signer: 'stranger', claims: { iss: issuer, aud: 'api', groups: ['ops'], scope: 'read write' } },
} as const satisfies Readonly<Record<string, Token>>;

export type TokenName = keyof typeof tokens;

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Source: RFC 7519, RFC 7518 section 3.4. */
function write({ signer, claims, isExpired }: Token): string {
  const header = { typ: 'JWT', alg: algorithms[signer], kid: signer === 'stranger' ? 'staff' : signer };
  const expiry = Math.floor(Date.now() / 1000) + (isExpired ? -600 : 36_000);
  const text = `${encoded(header)}.${encoded({ ...claims, exp: expiry })}`;
  const key = { key: pairs[signer].privateKey, dsaEncoding: 'ieee-p1363' as const };
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

const written = Object.fromEntries(Object.entries(tokens).map(([name, token]) => [name, write(token)]));

/** The token itself. */
export const tokenText = (name: TokenName): string => written[name] ?? '';
