import { createHash, type Hash } from 'node:crypto';

const magic = '$apr1$';
const rounds = 1000;
const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Which bytes of the digest are written together, the highest first. */
const groups = [
  [0, 6, 12],
  [1, 7, 13],
  [2, 8, 14],
  [3, 9, 15],
  [4, 10, 5],
] as const;

/** Apache's hash of a password, as `htpasswd -m` writes it. Source: `apr_md5_encode` of the Apache Portable Runtime. */
export function apr1(password: Uint8Array, salt: string): string {
  const first = begun(password, salt);
  let digest: Uint8Array = first.digest();
  for (let round = 0; round < rounds; round++) digest = nextDigest(digest, round, password, salt);
  return `${magic}${salt}$${encoded(digest)}`;
}

/** Of a line `$apr1$SALT$…`. */
export const saltOf = (hash: string): string => hash.slice(magic.length).split('$', 1)[0] as string;

function begun(password: Uint8Array, salt: string): Hash {
  const inner = createHash('md5').update(password).update(salt).update(password).digest();
  const hash = createHash('md5').update(password).update(magic).update(salt);
  for (let left = password.length; left > 0; left -= inner.length) hash.update(inner.subarray(0, left));
  for (let bits = password.length; bits > 0; bits >>= 1)
    hash.update(bits & 1 ? Uint8Array.of(0) : password.subarray(0, 1));
  return hash;
}

function nextDigest(digest: Uint8Array, round: number, password: Uint8Array, salt: string): Uint8Array {
  const isOdd = round % 2 === 1;
  const hash = createHash('md5').update(isOdd ? password : digest);
  if (round % 3 !== 0) hash.update(salt);
  if (round % 7 !== 0) hash.update(password);
  return hash.update(isOdd ? digest : password).digest();
}

function encoded(digest: Uint8Array): string {
  const byteAt = (index: number): number => digest[index] as number;
  const texts = groups.map(([high, middle, low]) =>
    letters((byteAt(high) << 16) | (byteAt(middle) << 8) | byteAt(low), 4),
  );
  return [...texts, letters(byteAt(11), 2)].join('');
}

/** Six bits a letter, the lowest first. */
const letters = (bits: number, count: number): string =>
  Array.from({ length: count }, (_, index) => alphabet[(bits >> (6 * index)) & 63]).join('');
