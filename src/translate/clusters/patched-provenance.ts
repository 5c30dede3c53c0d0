import * as ir from '../../ir/index.ts';
import { type EnvoyResource, type Origin, type Provenance, patchOrigin, patchTrial } from '../resource/index.ts';

/**
 * The provenance of a cluster with a patch. Whatever a proxy says of it, the patch is at fault first: without it the cluster is what it is for all
 * others, and if that is rejected too, so is the backend.
 */
export function patchedProvenance(
  backend: ir.Backend,
  patch: ir.BackendPatch,
  { resource, translate }: { readonly resource: EnvoyResource; readonly translate: (of: ir.Backend) => EnvoyResource },
): Provenance {
  const own = (): Origin => ({ kind: 'backend', key: backend.key, digest: ir.digestOf(backend) });
  const unpatched = (): EnvoyResource => {
    const { patch: _, ...others } = backend;
    return { ...translate(others), provenance: { origins: () => [own()] } };
  };
  return {
    origins: () => [patchOrigin(patch), own()],
    namedIn: () => [patch.id],
    trials: () => [patchTrial(patchOrigin(patch), resource, unpatched)],
    without: (_name, keys) => (keys.has(backend.key) ? undefined : unpatched()),
  };
}
