import type { ParentReference } from '../gateway-api/index.ts';

/**
 * Puts our entries into a list of a status that several controllers write: others' entries unchanged, ours as desired, in their present
 * order. Entries that are no longer desired are removed; new ones come last.
 */
export function mergeEntries<Live extends { readonly controllerName: string }, DesiredStatus>(
  live: readonly Live[],
  desired: readonly DesiredStatus[],
  controllerName: string,
  { refOf, merge }: EntryParts<Live, DesiredStatus>,
): Live[] {
  const rest = new Map(desired.map((desired) => [identityOf(refOf(desired)), desired]));
  const merged: Live[] = [];
  for (const entry of live) {
    if (entry.controllerName !== controllerName) {
      merged.push(entry);
      continue;
    }
    const identity = identityOf(refOf(entry));
    const desired = rest.get(identity);
    if (desired !== undefined) merged.push(merge(entry, desired));
    rest.delete(identity);
  }
  for (const desired of rest.values()) merged.push(merge(undefined, desired));
  return merged;
}

interface EntryParts<Live, DesiredStatus> {
  /** What the entry is about. */
  readonly refOf: (entry: Live | DesiredStatus) => ParentReference;
  readonly merge: (live: Live | undefined, desired: DesiredStatus) => Live;
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
