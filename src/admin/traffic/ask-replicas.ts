import type { AdminSources } from '../sources.ts';

/** What other replicas answered. */
export interface Answers<T> {
  readonly answers: readonly T[];
  /** Which did not, and why. */
  readonly warnings: readonly string[];
}

const timeoutMs = 2000;

/** Asks all other replicas for a path of Layout 1. One that left in good order is asked for nothing: its proxies have gone elsewhere. */
export async function askReplicas<T>(path: string, { replicas }: Pick<AdminSources, 'replicas'>): Promise<Answers<T>> {
  const others = replicas.list().filter(({ state }) => state !== 'self' && state !== 'left');
  const asked = await Promise.all(
    others.map(async ({ identity }) => {
      try {
        return { answer: (await replicas.ask(identity, path, timeoutMs)) as T };
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return { warning: `replica ${identity} did not answer (${reason}): what its proxies reported is missing` };
      }
    }),
  );
  return {
    answers: asked.flatMap((each) => ('answer' in each ? [each.answer as T] : [])),
    warnings: asked.flatMap((each) => ('warning' in each && each.warning !== undefined ? [each.warning] : [])),
  };
}
