import { createHash } from 'node:crypto';
import type { Ingress } from '../world/objects.ts';

/** Written by kubectl, and says the same once more. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * What an Ingress says, with its canaries, in few letters. Its resourceVersion changes with its status, too, and its generation not with its annotations.
 */
export function ingressDigest(ingress: Ingress, canaries: readonly Ingress[] = []): string {
  const hash = createHash('sha256').update(ordered(saidBy(ingress)));
  for (const canary of canaries) hash.update(ordered(saidBy(canary)));
  return hash.digest('hex').slice(0, 16);
}

function saidBy({ metadata: { annotations = {} }, spec }: Ingress): readonly unknown[] {
  const { [lastApplied]: _, ...said } = annotations;
  return [said, spec];
}

/** JSON with the fields of objects in order: an API server and a file may have them in another one. */
const ordered = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
