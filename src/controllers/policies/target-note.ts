import { type KubernetesObject, keyOf } from '../../gateway-api/index.ts';
import type { TargetNote } from '../../graph/model/index.ts';
import { firstNames } from '../../std/index.ts';

const mostNamed = 8;

/** What a target's own status says of the policies that act on it, as GEP-713 asks for; undefined: none does. */
export function targetNote(type: string, kind: string, policies: readonly KubernetesObject[]): TargetNote | undefined {
  const names = new Set(policies.map(keyOf));
  if (names.size === 0) return undefined;
  return { type, message: `${kind} ${firstNames([...names], mostNamed)}` };
}
