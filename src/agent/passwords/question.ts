import type { IncomingMessage } from 'node:http';
import { passwordHeaders } from '../../contracts/index.ts';
import { type BasicCredential, basicCredential } from '../../passwords/index.ts';

/** What Envoy asks about one request. */
export interface PasswordQuestion {
  /** Undefined: the client shows none. */
  readonly credential: BasicCredential | undefined;
  /** Names the users that it is about. */
  readonly list: string;
  /** Lines of `USER:HASH`. */
  readonly htpasswd: () => Uint8Array;
  /** The client's address. */
  readonly address: string;
  /** Of the challenge. */
  readonly realm: string;
  /** How backends learn the user's name. */
  readonly userHeader: string | undefined;
}

/** Source: passwordQuestion of src/translate. */
export function questionIn({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): PasswordQuestion {
  const header = (name: string): string | undefined => headersDistinct[name]?.[0];
  return {
    credential: basicCredential(header('authorization') ?? ''),
    list: header(passwordHeaders.list) ?? '',
    htpasswd: () => usersIn(header),
    address: header(passwordHeaders.address) ?? '',
    realm: header(passwordHeaders.realm) ?? '',
    userHeader: header(passwordHeaders.userHeader),
  };
}

function usersIn(header: (name: string) => string | undefined): Uint8Array {
  const parts: string[] = [];
  for (;;) {
    const part = header(`${passwordHeaders.users}-${parts.length + 1}`);
    if (part === undefined) return Buffer.from(parts.join(''), 'base64');
    parts.push(part);
  }
}
