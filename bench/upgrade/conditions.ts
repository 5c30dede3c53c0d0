import { type KindName, type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { KubeError } from '../../src/kube/index.ts';
import type { KubeApiServer } from '../../test/support/kube-apiserver.ts';

/** What statuses say, by kind and key: type, status and reason of each condition. */
export type Conditions = Readonly<Record<string, string>>;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

/** Of all objects of the kinds that are read and served. */
export async function conditionsIn({ client }: KubeApiServer): Promise<Conditions> {
  const found: Record<string, string> = {};
  for (const kind of Object.keys(kinds) as KindName[]) {
    const { items } = await client.listPage(kinds[kind], { limit: 500 }).catch((error: unknown) => {
      if (error instanceof KubeError && error.code === 'not-found') return { items: [] as KubernetesObject[] };
      throw error;
    });
    for (const { metadata, status } of items) {
      const all = [...conditionsWithin(status)].map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);
      if (all.length > 0) found[`${kind} ${metadata.namespace ?? ''}/${metadata.name}`] = all.sort().join(', ');
    }
  }
  return found;
}

function* conditionsWithin(value: unknown): Generator<Condition> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value))
    if (key === 'conditions' && Array.isArray(part)) yield* part as Condition[];
    else yield* conditionsWithin(part);
}

/** Each object whose conditions are others, with both. */
export const differences = (before: Conditions, after: Conditions): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => before[key] !== after[key])
    .map((key) => `${key}: ${before[key] ?? 'none'} -> ${after[key] ?? 'none'}`);
