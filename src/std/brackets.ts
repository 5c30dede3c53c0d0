/** A host without the brackets that a URL has around an address of IPv6. Source: RFC 3986, 3.2.2. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');
