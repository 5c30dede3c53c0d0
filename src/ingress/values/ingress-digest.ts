import { createHash } from 'node:crypto';
import type { Ingress } from '../world/objects.ts';

/** Written by kubectl, and says the same once more. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** What an Ingress says, in few letters. Its resourceVersion changes with its status, too, and its generation not with its annotations. */
export function ingressDigest({ metadata: { annotations = {} }, spec }: Ingress): string {
  const { [lastApplied]: _, ...said } = annotations;
  return createHash('sha256')
    .update(ordered([said, spec]))
    .digest('hex')
    .slice(0, 16);
}

/** JSON with the fields of objects in order: an API server and a file may have them in another one. */
const ordered = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
