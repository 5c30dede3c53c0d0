import { createHash } from 'node:crypto';

/**
 * Which replica keeps a bucket: all who know the same replicas say the same, and one that comes or goes moves only its own share.
 * Source: rendezvous hashing, Thaler and Ravishankar 1998.
 */
export function ownerOf(name: string, replicas: readonly string[]): string | undefined {
  let [best, highest] = [undefined as string | undefined, -1];
  for (const replica of replicas) {
    const weight = createHash('sha1').update(replica).update('\0').update(name).digest().readUIntBE(0, 6);
    if (weight > highest || (weight === highest && replica > (best ?? ''))) [best, highest] = [replica, weight];
  }
  return best;
}
