import { type KubernetesObject, keyOf } from '../../gateway-api/index.ts';
import type { TargetNote } from '../../graph/model/index.ts';

const mostNamed = 8;

/** What a target's own status says of the policies that act on it, as GEP-713 asks for; undefined: none does. */
export function targetNote(type: string, kind: string, policies: readonly KubernetesObject[]): TargetNote | undefined {
  const names = new Set(policies.map(keyOf));
  if (names.size === 0) return undefined;
  const rest = names.size - mostNamed;
  const named = [...names].slice(0, mostNamed).join(', ');
  return { type, message: `${kind} ${named}${rest > 0 ? ` and ${rest} more` : ''}` };
}
