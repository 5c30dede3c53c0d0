/**
 * Clients stay with one endpoint of a backend, by a token that they are given with the first answer and send along from then on. A
 * token that is none, or whose endpoint is gone, counts as no token.
 */
export type Session = SessionTraits & (CookieSession | HeaderSession);

interface SessionTraits {
  /** What tokens are of: the backend, in whatever way its endpoints are spoken to. */
  readonly scope: string;
  /** Of the cookie, or of the header in lower case. */
  readonly name: string;
  /** After this time a client gets another token, and maybe another endpoint; undefined: never. */
  readonly lifetimeSeconds?: number;
}

interface CookieSession {
  readonly kind: 'cookie';
  readonly path: string;
  /** The cookie has this lifetime and clients keep it for so long; otherwise a client forgets it at its end. */
  readonly permanent: boolean;
  /** To be sent over TLS only. */
  readonly secure: boolean;
}

interface HeaderSession {
  readonly kind: 'header';
}
