import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** A key that signs a release: Ed25519, in PEM, as `openssl genpkey -algorithm ed25519` makes it. */
export async function signingKey(file: string): Promise<KeyObject> {
  const key = createPrivateKey(await readFile(file, 'utf8'));
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(
      `${file}: the key is of type ${key.asymmetricKeyType}; make one by openssl genpkey -algorithm ed25519`,
    );
  return key;
}

export const publicKeyOf = (key: KeyObject): string =>
  createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();

/** `openssl pkeyutl -verify -rawin` checks it. */
export const signatureOf = (content: string, key: KeyObject): Buffer => sign(null, Buffer.from(content), key);

/** A statement in an envelope that is signed. Source: DSSE 1.0, protocol.md and envelope.md. */
export function envelopeOf(statement: object, key: KeyObject): object {
  const payloadType = 'application/vnd.in-toto+json';
  const payload = Buffer.from(JSON.stringify(statement));
  const head = `DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `;
  const sig = sign(null, Buffer.concat([Buffer.from(head), payload]), key);
  return { payloadType, payload: payload.toString('base64'), signatures: [{ sig: sig.toString('base64') }] };
}
