/** RFC 9110, token: what header names are made of. */
const token = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;

/** Line breaks and NUL end a header; half of a surrogate pair has no UTF-8. */
const unsafe = /[\r\n\0\p{Cs}]/u;

/** Source: Gateway API, Hostname and PreciseHostname. */
const hostname = /^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/i;
const longestHostname = 253;

/*
 * Each says in the words of a condition why a text cannot be given to a proxy, which would reject it together with all that
 * stands beside it. The CRDs keep most of this from us; what is checked here does not depend on whose CRDs are installed.
 */

export const headerNameFault = (name: string): string | undefined =>
  token.test(name) ? undefined : `${quoted(name)} is not the name of a header: use letters, digits and -`;

export const textFault = (what: string, text: string | undefined): string | undefined =>
  text !== undefined && unsafe.test(text)
    ? `${what} holds a line break, NUL or half a character: remove it`
    : undefined;

/** `*` alone stands for a listener or route without a hostname. */
export const hostnameFault = (name: string): string | undefined =>
  name === '*' || (hostname.test(name) && name.length <= longestHostname)
    ? undefined
    : `${quoted(name)} is not a hostname: use labels of letters, digits and - with dots between them, the first of them may be *`;

/** Short, and on one line. */
const quoted = (text: string): string => JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
