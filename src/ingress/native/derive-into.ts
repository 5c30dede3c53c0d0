import {
  ingressOf,
  type KindName,
  type KubernetesObject,
  keyOf,
  kinds,
  type ObjectKey,
} from '../../gateway-api/index.ts';
import type { Steps } from '../../std/steps/index.ts';
import { type IngressSink, NativeIngresses, type ServedIngress } from './native-ingresses.ts';
import type { Lookup, NativeOptions } from './options.ts';

/** Objects that are kept nowhere else, such as a copy of those of a control plane. */
export interface ObjectsToFill extends Omit<Lookup, 'list'> {
  list(kind: KindName): Iterable<KubernetesObject>;
  upsert(kind: KindName, object: never): unknown;
  remove(kind: KindName, key: string): unknown;
}

/**
 * Adds what all Ingresses among the objects become, and removes what they became before and no longer do. What became of each Ingress of a class
 * of ours, by its key.
 */
export function* deriveInto(
  objects: ObjectsToFill,
  options: NativeOptions,
): Steps<ReadonlyMap<ObjectKey, ServedIngress>> {
  const served = new Map<ObjectKey, ServedIngress>();
  const made = new Set<string>();
  const sink: IngressSink = {
    put(kind, object) {
      made.add(`${kind} ${keyOf(object)}`);
      objects.upsert(kind, object as never);
    },
    remove: (kind, object) => objects.remove(kind, keyOf(object)),
    outcome(ingress, outcome) {
      if (outcome !== undefined) served.set(ingress, outcome);
    },
  };
  const native = new NativeIngresses(options, objects, sink);
  for (const ingress of [...objects.list('Ingress')]) native.observe('Ingress', ingress);
  yield* native.flushing();
  yield* removeOthers(objects, made);
  return served;
}

function* removeOthers(objects: ObjectsToFill, made: ReadonlySet<string>): Steps<void> {
  for (const kind of Object.keys(kinds) as KindName[]) {
    for (const object of [...objects.list(kind)]) {
      const key = keyOf(object);
      if (ingressOf(key) !== undefined && !made.has(`${kind} ${key}`)) objects.remove(kind, key);
    }
    yield;
  }
}
