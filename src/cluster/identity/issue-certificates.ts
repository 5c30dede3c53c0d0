import type { Authority, IssuedCertificate, IssueOptions } from './authority.ts';

/** What makes certificates is a tenth of all modules of a control plane, and only one with an authority of its own ever makes any. */
const makers = () => import('./make-certificates.ts');

/** A new authority: see `makeAuthority`. */
export const createAuthority = async (now: Date, lifetimeMs: number): Promise<Authority> =>
  (await makers()).makeAuthority(now, lifetimeMs);

/** A server's certificate, with a new key. */
export const issueServing = async (authority: Authority, options: IssueOptions): Promise<IssuedCertificate> =>
  (await makers()).makeServing(authority, options);
