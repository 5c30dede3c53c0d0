import type { Authority } from './authority.ts';

/** How authorities follow each other. All times are milliseconds. */
export interface AuthorityTiming {
  /** How long one is valid. */
  readonly lifetimeMs: number;
  /** How long before the newest one ends another is made. */
  readonly renewBeforeMs: number;
  /** How long a new one is made known before it signs: until every proxy has read the bundle. */
  readonly spreadMs: number;
}

const dayMs = 86_400_000;

export const defaultAuthorityTiming: AuthorityTiming = {
  lifetimeMs: 365 * dayMs,
  renewBeforeMs: 90 * dayMs,
  spreadMs: dayMs,
};

/** Those that have not ended, oldest first. */
export const livingOf = (authorities: readonly Authority[], now: Date): readonly Authority[] =>
  authorities
    .filter(({ notAfter }) => notAfter > now)
    .sort((a, b) => a.notBefore.getTime() - b.notBefore.getTime() || (a.certificate < b.certificate ? -1 : 1));

/** Whether another one is to be made: there is none, or the newest nears its end. */
export function isDue(living: readonly Authority[], now: Date, { renewBeforeMs }: AuthorityTiming): boolean {
  const newest = living.at(-1);
  return newest === undefined || newest.notAfter.getTime() - now.getTime() < renewBeforeMs;
}

/**
 * The one that signs: the newest that has been known for long enough, else the oldest. Every replica comes to the same one
 * from the same authorities, and all of them are in the bundle, so it does not matter when each of them changes over.
 */
export function signerOf(living: readonly Authority[], now: Date, { spreadMs }: AuthorityTiming): Authority {
  const known = living.filter(({ notBefore }) => now.getTime() - notBefore.getTime() >= spreadMs);
  const signer = known.at(-1) ?? living[0];
  if (signer === undefined) throw new Error('there is no authority that could sign');
  return signer;
}

/** What clients are given to know the server by: all of them, so that a change of the signer is no change for them. */
export const bundleOf = (living: readonly Authority[]): string =>
  living.map(({ certificate }) => `${certificate.trim()}\n`).join('');
