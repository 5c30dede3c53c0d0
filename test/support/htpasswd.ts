/** Lines as Debian's `htpasswd` of apache2-utils 2.4 writes them, with the passwords that they were made of. */
export const htpasswdLines = {
  /** `htpasswd -nbB -C 4` */
  ann: { hash: '$2y$04$ot7n4aHhoJHqNXEfKaysausbvfZHfQ8ug6Akz2HWP/OdpB2roOiY6', password: 'secret' },
  /** `htpasswd -nbB -C 10` */
  bob: { hash: '$2y$10$O81gYHHIBFuhg7vvySNywuAhEp/oqeD0wOvSfv8snAMBNv6SR1Q5O', password: 'correct horse' },
  /** `htpasswd -nbm` */
  carol: { hash: '$apr1$sVhjdcc2$k840QgciURAAVAM5gpcqn0', password: 'secret' },
  /** `htpasswd -nbs` */
  eve: { hash: '{SHA}0JQeaNqPOBUf+Gph/Fn3xc+fyqI=', password: 'other' },
  jörg: { hash: '$2y$04$J4qbkZF4KP3oDdgJEw2b2u./ORSj8WOmrvrQoWBXr2U4/WeVCoQ/G', password: 'pässwörd' },
  colon: { hash: '$2y$04$RIX9Xx52ZvPIt3VUwn7aDOuWZaIP1aVLJberMdUMU1nsEA6LSLSmC', password: 'a:b:c' },
} as const;

/** `htpasswd -nbB -C 14`: a second of work, or more. */
export const slowHash = '$2y$14$6NChLyTk666VNQ/S8VhFveHiZiHeaGkbCfMxemEE1T9V3sRaWNLkK';

/** The file for some users, or all. */
export const htpasswdOf = (
  names: readonly (keyof typeof htpasswdLines)[] = Object.keys(htpasswdLines) as (keyof typeof htpasswdLines)[],
): string => names.map((name) => `${name}:${htpasswdLines[name].hash}\n`).join('');
