/** The formats of htpasswd that are checked here. `sha` is Envoy's own, without salt. */
type HashFormat = 'sha' | 'apr1' | 'bcrypt';

/** A check takes twice as long with each step: a second or more at this cost, and a minute at 20. */
export const maxBcryptCost = 14;

const bcrypt = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;
const apr1 = /^\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}$/;
const sha = /^\{SHA\}([A-Za-z0-9+/]{27}=)$/;

/** Undefined: a format that is not checked, or a hash that is not whole. */
export function hashFormat(hash: string): HashFormat | undefined {
  if (shaDigest(hash)) return 'sha';
  if (apr1.test(hash)) return 'apr1';
  return bcrypt.test(hash) ? 'bcrypt' : undefined;
}

/** Of a bcrypt hash: the logarithm of its rounds. */
export const bcryptCost = (hash: string): number => Number(bcrypt.exec(hash)?.[1]);

/** Of a line of `{SHA}`. */
export function shaDigest(hash: string): Buffer | undefined {
  const digest = Buffer.from(sha.exec(hash)?.[1] ?? '', 'base64');
  return digest.length === 20 ? digest : undefined;
}
