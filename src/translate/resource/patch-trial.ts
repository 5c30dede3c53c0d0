import * as ir from '../../ir/index.ts';
import type { EnvoyResource, Origin, Trial } from './envoy-resource.ts';

/** The patch of a cluster is tried with all of it, as the rest decides what is valid. */
export const patchTrial = (
  origin: Origin,
  resource: EnvoyResource,
  control: () => EnvoyResource | undefined,
): Trial => ({ origin, version: resource.version, content: () => resource, control });

/** A patch in the resources of proxies. */
export const patchOrigin = (patch: { readonly id: string }): Origin => ({
  kind: 'patch',
  key: patch.id,
  digest: ir.digestOf(patch),
});
