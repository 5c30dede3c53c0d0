import { addDigest, type Digest, digestOf, emptyDigest } from './digest.ts';
import type { Route } from './route.ts';

/** `httproute/NAMESPACE/NAME` of a route's id: the object behind it. */
export const sourceOfRoute = (id: string): string => id.split('/', 3).join('/');

/** Names what one object wants of one host. The same route may stand there more than once, and counts once. */
export function digestOfRoutes(routes: Iterable<Route>): Digest {
  let sum = emptyDigest;
  for (const digest of new Set([...routes].map(digestOf))) sum = addDigest(sum, digest);
  return sum;
}
