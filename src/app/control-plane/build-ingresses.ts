import type { deriveInto, IngressSink, NativeIngresses, ObjectsToFill } from '../../ingress/native/index.ts';

/** What knows what Ingresses become, by the configuration; without it none are served. */
export interface BuildIngresses {
  /** Makes the part that follows them. */
  build(lookup: ConstructorParameters<typeof NativeIngresses>[1], sink: IngressSink): NativeIngresses;
  /** Adds to other objects, such as a copy of the graph, what the Ingresses among them become. */
  deriveInto(objects: ObjectsToFill): ReturnType<typeof deriveInto>;
}
