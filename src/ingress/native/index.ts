/** Serves Ingresses: makes objects of the Gateway API of them, in memory, by the same rules as `migrate convert` writes files. */
export { deriveInto, type ObjectsToFill } from './derive-into.ts';
export { type IngressSink, NativeIngresses, type ServedIngress } from './native-ingresses.ts';
export type { IngressFault, NativeOptions } from './options.ts';
