import type { ParentReference } from '../gateway-api/index.ts';

/**
 * Puts our entries into a list of a status that several controllers write: others' entries as they are, ours as wished, in the order they
 * stand in; what is no longer wished is removed, what is new comes last.
 */
export function mergeEntries<Live extends { readonly controllerName: string }, Wish>(
  live: readonly Live[],
  wished: readonly Wish[],
  controllerName: string,
  { refOf, merge }: EntryParts<Live, Wish>,
): Live[] {
  const rest = new Map(wished.map((wish) => [identityOf(refOf(wish)), wish]));
  const merged: Live[] = [];
  for (const entry of live) {
    if (entry.controllerName !== controllerName) {
      merged.push(entry);
      continue;
    }
    const identity = identityOf(refOf(entry));
    const wish = rest.get(identity);
    if (wish !== undefined) merged.push(merge(entry, wish));
    rest.delete(identity);
  }
  for (const wish of rest.values()) merged.push(merge(undefined, wish));
  return merged;
}

interface EntryParts<Live, Wish> {
  /** What the entry is about. */
  readonly refOf: (entry: Live | Wish) => ParentReference;
  readonly merge: (live: Live | undefined, wish: Wish) => Live;
}

/** Equal for references that mean the same parent: group and kind have defaults in the API's schema. */
const identityOf = ({ group, kind, namespace, name, sectionName, port }: ParentReference): string =>
  JSON.stringify([
    group ?? 'gateway.networking.k8s.io',
    kind ?? 'Gateway',
    namespace ?? '',
    name,
    sectionName ?? '',
    port ?? 0,
  ]);
