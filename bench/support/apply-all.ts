import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import type { KubeClient, ResourceType } from '../../src/kube/index.ts';

/** An object with what the API server calls it. */
export type Typed = readonly [ResourceType, KubernetesObject];

/** Requests to the API server under way at once. */
const writers = 16;

/** Applies all of them, many at a time and in no order. */
export async function applyAll(kube: KubeClient, objects: Iterable<Typed>): Promise<void> {
  const left = objects[Symbol.iterator]();
  const some = async () => {
    for (let next = left.next(); !next.done; next = left.next())
      await kube.apply(...next.value, { timeoutMs: 100_000 });
  };
  await Promise.all(Array.from({ length: writers }, some));
}
