/**
 * What Host, or `:authority`, may be for a proxy: the name or the address of one host, with or without a port. For RE2 and
 * for JavaScript. Not in it is what a backend might read in another way than we: two values (RFC 9112 §3.2 wants 400), credentials, escapes, empty labels.
 * A dot at the end is removed before, or it is one of these: see ClientSettings.trailingDot.
 */
export const hostForm = '(?:[0-9A-Za-z_-]+(?:\\.[0-9A-Za-z_-]+)*|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]*)?';
