import { createHash } from 'node:crypto';
import { limits } from '../limits.ts';

/*
 * A client of the state-of-the-world variant says of a whole type which version it has, and of no resource. So what its filter chains demand is
 * named there: `VERSION NAME:DEMANDS NAME:DEMANDS…`, NAME a digest of the chain's name, DEMANDS as in the version of a chain. The client sends it
 * back when its stream begins again.
 */

const digestLength = 16;

const digestOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, digestLength);

/** Of no chain: what a chain is made of is not known of such a client. */
const unknownHash = '0'.repeat(16);

const demandsOf = (version: string): string => version.slice(unknownHash.length + 1);

/** `chains`: versions of all that the client is to have, by name. */
export function versionWithChains(version: string, chains: Iterable<readonly [name: string, version: string]>): string {
  const named = [...chains].flatMap(([name, each]) => {
    const demands = demandsOf(each);
    return demands === '' ? [] : [`${digestOf(name)}:${demands}`];
  });
  const text = [version, ...named].join(' ');
  return text.length > limits.sotwVersionLength ? version : text;
}

/** Versions of the chains that a client says it has. They equal those of no chain, so each is sent again. */
export function chainVersionsIn(version: string, names: readonly string[]): ReadonlyMap<string, string> {
  if (version.length > limits.sotwVersionLength) return new Map();
  const demands = new Map(version.split(' ').map((part) => [part.slice(0, digestLength), part] as const));
  return new Map(
    names.flatMap((name) => {
      const part = demands.get(digestOf(name));
      return part === undefined ? [] : [[name, `${unknownHash}-${part.slice(digestLength + 1)}`] as const];
    }),
  );
}
