import { addDigest, type Digest, digestOf, emptyDigest } from './digest.ts';
import type { Route } from './route.ts';

/** Names what one object wants of one host. The same route may stand there more than once, and counts once. */
export function digestOfRoutes(routes: Iterable<Route>): Digest {
  let sum = emptyDigest;
  for (const digest of new Set([...routes].map(digestOf))) sum = addDigest(sum, digest);
  return sum;
}
