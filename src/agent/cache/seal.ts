import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { ConfigError, readSessionKey } from '../../config/index.ts';

/** Makes of a record what is written to disk, and back. */
export interface Seal {
  /** First line of the file: what its other bytes are. */
  readonly header: string;
  /** `place`: which record of the file it is, from 0; it is sealed into the record, so none can be left out or moved. */
  close(record: Uint8Array, place: number): Buffer;
  /** Undefined: it was not written by this seal at this place, or not to its end. */
  open(sealed: Uint8Array, place: number): Buffer | undefined;
}

/** Changes with the format, so that an agent of another version leaves the file alone. */
const magic = 'gatewright-cache 1';
const [ivBytes, tagBytes, saltBytes, digestBytes] = [12, 16, 16, 32];
const cipher = 'aes-256-gcm';

/** A key file has the same form as one for sessions: at least 32 bytes. Throws ConfigError. */
export function readCacheKey(path: string): Buffer {
  try {
    return readSessionKey(path);
  } catch (cause) {
    const reason = (cause as Error).message.replace(/^session key file /, '');
    throw new ConfigError(`dataplane.cache.keyFile: ${reason}`, { cause });
  }
}

/** The seal of a new file. */
export function newSeal(key: Buffer | undefined): Seal {
  return key ? encrypted(key, randomBytes(saltBytes)) : plain;
}

/** The seal that a file was written with; a text that says why there is none that fits. */
export function sealOf(header: string, key: Buffer | undefined): Seal | string {
  const [name, version, kind, salt = ''] = header.split(' ');
  if (name !== 'gatewright-cache') return 'it is no such file';
  if (`${name} ${version}` !== magic) return `it is of format ${version}, and this agent reads ${magic.split(' ')[1]}`;
  if (kind === 'plain') return key ? 'it is not encrypted, and dataplane.cache.keyFile is set' : plain;
  if (kind !== cipher) return `it is sealed by ${kind}, which this agent does not know`;
  if (!key) return 'it is encrypted, and dataplane.cache.keyFile is not set';
  return encrypted(key, Buffer.from(salt, 'hex'));
}

/** A digest shows that a record was not written to its end. */
const plain: Seal = {
  header: `${magic} plain`,
  close: (record, place) => Buffer.concat([digest(record, place), record]),
  open(sealed, place) {
    const record = Buffer.from(sealed.subarray(digestBytes));
    return digest(record, place).equals(sealed.subarray(0, digestBytes)) ? record : undefined;
  },
};

const placeBytes = (place: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(place);
  return bytes;
};

const digest = (record: Uint8Array, place: number): Buffer =>
  createHash('sha256').update(placeBytes(place)).update(record).digest();

/** A key of its own for each file, so that random nonces are never used up. */
function encrypted(secret: Buffer, salt: Buffer): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, salt, 'gatewright configuration cache', 32));
  return {
    header: `${magic} ${cipher} ${salt.toString('hex')}`,
    close(record, place) {
      const iv = randomBytes(ivBytes);
      const sealing = createCipheriv(cipher, key, iv, { authTagLength: tagBytes }).setAAD(placeBytes(place));
      return Buffer.concat([iv, sealing.update(record), sealing.final(), sealing.getAuthTag()]);
    },
    open(sealed, place) {
      if (sealed.length < ivBytes + tagBytes) return undefined;
      const iv = sealed.subarray(0, ivBytes);
      const opening = createDecipheriv(cipher, key, iv, { authTagLength: tagBytes }).setAAD(placeBytes(place));
      opening.setAuthTag(sealed.subarray(sealed.length - tagBytes));
      try {
        return Buffer.concat([opening.update(sealed.subarray(ivBytes, sealed.length - tagBytes)), opening.final()]);
      } catch {
        return undefined;
      }
    },
  };
}
