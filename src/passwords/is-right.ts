import { timingSafeEqual } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { apr1, saltOf } from './apr1.ts';
import { hashFormat } from './hash-format.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Whether the password belongs to a hash of bcrypt or apr1; takes up to seconds. As in Apache's own server, bcrypt looks at the first 72 bytes. The
 * library takes text alone, so bytes that are no UTF-8 are never right for it.
 */
export function isRight(hash: string, password: Uint8Array): boolean {
  switch (hashFormat(hash)) {
    case 'apr1':
      return timingSafeEqual(Buffer.from(apr1(password, saltOf(hash))), Buffer.from(hash));
    case 'bcrypt':
      return isRightForBcrypt(hash, password);
    default:
      return false;
  }
}

function isRightForBcrypt(hash: string, password: Uint8Array): boolean {
  let text: string;
  try {
    text = utf8.decode(password);
  } catch {
    // As long as for text.
    bcrypt.compareSync('', hash);
    return false;
  }
  return bcrypt.compareSync(text, hash);
}
