/** What the errors of servers, and of connections to them, mean for who configured them. */
const hints: readonly (readonly [words: RegExp, hint: string])[] = [
  [/NOAUTH|unauthenticated/, 'it asks for a password: set rateLimits.valkey.passwordFile'],
  [/WRONGPASS|invalid (username-)?password/i, 'it rejects the user name or password of rateLimits.valkey'],
  [
    /NOPERM/,
    'its ACL denies what shared limits need: allow EVALSHA, EVAL, TIME, GET, SET and DEL for keys of rateLimits.valkey.keyPrefix',
  ],
  [/READONLY|MASTERDOWN/, 'it is a replica, which cannot be written: name the primary in rateLimits.valkey.url'],
  [/MOVED|CLUSTERDOWN|CROSSSLOT/, 'it is part of a cluster: use a server that is none'],
  [/OOM/, 'its memory is full: give it more, or a policy that evicts keys'],
  [/wrong version number|packet length too long/i, 'it does not speak TLS: begin rateLimits.valkey.url with redis://'],
  [/certificate|self.signed|altnames/i, 'its certificate is not trusted: set rateLimits.valkey.caFile, or serverName'],
];

/** Why there is no connection, in words for a log. */
export function hintOf({ message }: Error, { host }: URL): string {
  const hint = hints.find(([words]) => words.test(message))?.[1];
  return `${host}: ${message.slice(0, 300)}${hint === undefined ? '' : `; ${hint}`}`;
}
