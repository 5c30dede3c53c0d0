import { createHash, hkdfSync } from 'node:crypto';

/** The Secret of the control plane's namespace that all logins depend on, and the entry that has its bytes. */
export const loginKey = { name: 'gatewright-login-key', entry: 'login.key', leastBytes: 32 } as const;

/** By what logins differ: those of a session are good wherever the same session is. */
export interface LoginSession {
  readonly namespace: string;
  /** The issuer, or where its browsers are sent. */
  readonly provider: string;
  readonly client: string;
  readonly session: string;
}

const textOf = ({ namespace, provider, client, session }: LoginSession): string =>
  JSON.stringify([namespace, provider, client, session]);

/** What the cookies of a session are signed and encrypted by: 64 hexadecimal digits. The key cannot be found from it. Source: RFC 5869. */
export const loginHmac = (key: Uint8Array, session: LoginSession): string =>
  Buffer.from(hkdfSync('sha256', key, '', `gatewright login ${textOf(session)}`, 32)).toString('hex');

/** Names the cookies of a session: 16 hexadecimal digits. */
export const loginSessionId = (session: LoginSession): string =>
  createHash('sha256').update(textOf(session)).digest('hex').slice(0, 16);
