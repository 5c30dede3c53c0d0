import type { IngressSink, NativeIngresses } from '../../ingress/native/index.ts';

/** Makes the part that knows what Ingresses become; without one none are served. */
export type BuildIngresses = (
  lookup: ConstructorParameters<typeof NativeIngresses>[1],
  sink: IngressSink,
) => NativeIngresses;
