/** Who checks passwords that Envoy cannot check: the agent. Produced by its bootstrap, asked by the filter for passwords. */
export const passwordService = 'gatewright_passwords';

/** What a proxy says to the agent beside the client's header Authorization. No client can: Envoy sends no other header of a request there. */
export const passwordHeaders = {
  /** Names what is in `users`. */
  list: 'x-gw-users-id',
  /** With `-1`, `-2` and so on behind it: parts of the list, lines of `USER:HASH` in base64. */
  users: 'x-gw-users',
  /** The client's address. */
  address: 'x-gw-client-address',
  /** Of the challenge. */
  realm: 'x-gw-realm',
  /** Of the answer: how the header is called that says the user's name. Not there where no backend is to learn it. */
  userHeader: 'x-gw-user-header',
} as const;

/** Envoy takes a value of up to 16,384 bytes. */
export const longestUsersPart = 16_000;
