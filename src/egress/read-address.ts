import { isIP } from 'node:net';
import { withoutZone } from './embedded-addresses.ts';

/**
 * The IP address that a text is, in any spelling that some resolver takes for one: decimal, hexadecimal and octal numbers, one to four of
 * them, full-width digits, brackets, zones, dots at the end. Undefined: it is a name, or nothing. Source: inet_aton(3), WHATWG URL, 3.5.
 */
export function readAddress(text: string): string | undefined {
  const plain = plainName(text).replace(/^\[(.*)\]$/, '$1');
  const address = withoutZone(plain);
  if (isIP(address) !== 0) return address;
  if (!/^[0-9a-fx.]+$/.test(address)) return undefined;
  const url = URL.canParse(`http://${address}`) ? new URL(`http://${address}`) : undefined;
  return url && isIP(url.hostname) === 4 ? url.hostname : undefined;
}

/** A name as it is compared: small letters, plain digits and dots, no dot at the end. */
export const plainName = (text: string): string =>
  text.normalize('NFKC').replaceAll('。', '.').toLowerCase().replace(/\.+$/, '');
