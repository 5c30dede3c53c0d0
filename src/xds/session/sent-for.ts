import { piecesOf } from '../../contracts/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';

/** All that a client is sent of a resource: its pieces, and then it itself. */
export const sentFor = (resource: EnvoyResource): readonly EnvoyResource[] =>
  resource.pieces ? [...resource.pieces, resource] : [resource];

/** The same by names. */
export const namesSentFor = (name: string): readonly string[] => [...piecesOf(name), name];
