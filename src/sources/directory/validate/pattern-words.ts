/** What people write wrong most often, by the pattern that a schema has for it. Sources: Duration, HTTPHeaderName, Hostname and SectionName of `apis/v1`. */
const words: ReadonlyMap<string, string> = new Map([
  ['^([0-9]{1,5}(h|m|s|ms)){1,4}$', 'write a duration as 5s, 1m30s or 500ms'],
  ["^[A-Za-z0-9!#$%&'*+\\-.^_\\x60|~]+$", 'a header name has no spaces and no colons'],
  [
    '^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
    'write a name in lower case, with no scheme, port or path, such as shop.example.com or *.example.com',
  ],
  [
    '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
    'a name has lower-case letters, digits, - and . only',
  ],
]);

/** What the pattern asks for, in words, behind `: `; empty for one that has none. */
export function patternWords(pattern: string): string {
  const found = words.get(pattern);
  return found === undefined ? '' : `: ${found}`;
}
