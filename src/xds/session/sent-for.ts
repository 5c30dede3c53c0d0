import type { EnvoyResource } from '../../translate/index.ts';

/** All that a client is sent of a resource: its pieces, and then it itself. */
export const sentFor = (resource: EnvoyResource): readonly EnvoyResource[] =>
  resource.pieces ? [...resource.pieces, resource] : [resource];
