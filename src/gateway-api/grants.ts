import type { ObjectByKind } from './objects.ts';

/** One reference that crosses namespaces. */
export interface CrossReference {
  readonly from: { readonly group: string; readonly kind: string; readonly namespace: string };
  readonly to: { readonly group: string; readonly kind: string; readonly namespace: string; readonly name: string };
}

/** Whether one of the grants of the target's namespace allows the reference. Source: GEP-709, ReferenceGrant.spec. */
export function isGranted(grants: Iterable<ObjectByKind['ReferenceGrant']>, { from, to }: CrossReference): boolean {
  for (const { metadata, spec } of grants) {
    if (metadata.namespace !== to.namespace || !spec) continue;
    const fromAllowed = spec.from.some(
      (entry) => entry.group === from.group && entry.kind === from.kind && entry.namespace === from.namespace,
    );
    const toAllowed = spec.to.some(
      (entry) => entry.group === to.group && entry.kind === to.kind && (!entry.name || entry.name === to.name),
    );
    if (fromAllowed && toAllowed) return true;
  }
  return false;
}
