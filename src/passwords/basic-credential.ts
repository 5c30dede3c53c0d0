/** What a client says. Bytes, one a character (latin1). */
export interface BasicCredential {
  readonly user: string;
  readonly password: string;
}

const written = /^Basic ([A-Za-z0-9+/]+={0,2})$/;

/** The user and password of a header Authorization; undefined where it has none. Source: RFC 7617; as strict as Envoy, for which the scheme is `Basic` as written here. */
export function basicCredential(header: string): BasicCredential | undefined {
  const [, encoded] = written.exec(header) ?? [];
  const text = Buffer.from(encoded ?? '', 'base64').toString('latin1');
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
