import { ourRelease, type UserAgent } from './voter.ts';

const ours = `${ourRelease.major}.${ourRelease.minor}`;

/**
 * Why an Envoy is not served: it is older than configuration is made for. Undefined for others, and for clients that are no Envoy or say no
 * version: those are sent what there is, and what they reject is held back from them alone. docs/install.md has the table.
 */
export function olderEnvoy({ name, release }: UserAgent): string | undefined {
  if (name !== 'envoy' || release === undefined || compared(release) >= 0) return undefined;
  const theirs = `${release.major}.${release.minor}`;
  return `Envoy ${theirs} is not supported: configuration is made for Envoy ${ours}, and ${theirs} would reject the listeners; run Envoy ${ours}, as the image of this release does`;
}

/** An Envoy that came after the one that configuration is made and tested for. */
export const isNewerEnvoy = ({ name, release }: UserAgent): boolean =>
  name === 'envoy' && release !== undefined && compared(release) > 0;

const compared = ({ major, minor }: NonNullable<UserAgent['release']>): number =>
  major === ourRelease.major ? minor - ourRelease.minor : major - ourRelease.major;
