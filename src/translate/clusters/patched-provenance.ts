import * as ir from '../../ir/index.ts';
import type { EnvoyResource, Origin, Provenance } from '../resource/index.ts';

/**
 * The provenance of a cluster with a patch. Whatever a proxy says of it, the patch is at fault first: without it the cluster is what it is for all
 * others, and if that is rejected too, so is the backend.
 */
export function patchedProvenance(
  backend: ir.Backend,
  patch: ir.BackendPatch,
  translate: (backend: ir.Backend) => EnvoyResource,
): Provenance {
  const own = (): Origin => ({ kind: 'backend', key: backend.key, digest: ir.digestOf(backend) });
  return {
    origins: () => [{ kind: 'patch', key: patch.id, digest: ir.digestOf(patch) }, own()],
    namedIn: () => [patch.id],
    without: (_name, keys) => {
      if (keys.has(backend.key)) return undefined;
      const { patch: _, ...unpatched } = backend;
      return { ...translate(unpatched), provenance: { origins: () => [own()] } };
    },
  };
}
