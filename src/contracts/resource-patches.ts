/**
 * Type URL of what an agent may get in place of a long resource whose former version it has taken: how to make the new one of that.
 *
 *     message ResourcePatch {
 *       string base = 1;          // version of the former one
 *       repeated Step steps = 2;  // the new bytes, from the first to the last
 *     }
 *     message Step {
 *       uint32 from = 1;          // copy `length` bytes of the former one from here
 *       uint32 length = 2;
 *       bytes insert = 3;         // and these behind them
 *     }
 */
export const patchType = 'type.googleapis.com/gatewright.v1.ResourcePatch';

/** Node metadata of an agent that takes patches of endpoints, `true`. An Envoy without an agent takes none. */
export const patchesMetadata = 'gatewright_patches';
