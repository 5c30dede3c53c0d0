/**
 * What can be done with Envoy's messages without their descriptors, which take more memory than anything else that the agent would load:
 * naming their types, and reading the few fields that are needed.
 */
export { messagesIn, readFields } from './read-fields.ts';
export {
  addressesOfAssignment,
  addressOfListener,
  readSocketAddress,
  type WireSocketAddress,
} from './socket-address.ts';
export { type TypeUrl, typeUrls } from './type-urls.ts';
