import { type KubernetesObject, keyOf } from '../../gateway-api/index.ts';
import { compareText } from './compare-text.ts';

/** Negative when `a` goes first of two objects of a kind: the older one, then the first by key. Total. Source: GEP-713 on conflicts. */
export const compareAge = (a: KubernetesObject, b: KubernetesObject): number =>
  compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
  compareText(keyOf(a), keyOf(b));
