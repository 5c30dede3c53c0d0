import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

export interface Signer {
  readonly jwk: object;
  /** A token with these claims and this header. Source: RFC 7515. */
  readonly token: (claims: object, header?: object) => string;
}

const signing = {
  RS256: (text: Buffer, key: KeyObject) => sign('sha256', text, key),
  ES256: (text: Buffer, key: KeyObject) => sign('sha256', text, { key, dsaEncoding: 'ieee-p1363' }),
  EdDSA: (text: Buffer, key: KeyObject) => sign(null, text, key),
};

const pairOf = (algorithm: keyof typeof signing) => {
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  return algorithm === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
};

/** A key pair, whose public key is `jwk`. */
export function signer(kid: string, algorithm: keyof typeof signing = 'RS256'): Signer {
  const { publicKey, privateKey } = pairOf(algorithm);
  return {
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' },
    token(claims, header = {}) {
      const text = `${encoded({ typ: 'JWT', alg: algorithm, kid, ...header })}.${encoded(claims)}`;
      return `${text}.${signing[algorithm](Buffer.from(text), privateKey).toString('base64url')}`;
    },
  };
}
