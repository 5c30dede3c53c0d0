import { createHash, timingSafeEqual } from 'node:crypto';

/** The token of `Authorization: Bearer TOKEN`; undefined for anything else. Source: RFC 6750, section 2.1. */
export const bearerOf = (authorization: string): string | undefined =>
  /^Bearer +(?<token>\S+) *$/i.exec(authorization)?.groups?.token;

// Digests have one length, so the comparison says nothing about where, or how far, a guess was right.
export const isSameToken = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
