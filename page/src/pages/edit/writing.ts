import { ApiError, type Diff } from '../../api/index.ts';
import { headOf, partsOf } from './documents.ts';
import { sendYaml } from './judge.ts';

/** What a text would do, as it was found out. */
export interface Tried {
  /** Exactly what was compared. */
  readonly text: string;
  readonly diff: Diff;
  /** Why the dry run would not write it; undefined when it would. */
  readonly error: ApiError | undefined;
}

/** Compares, then makes a dry run of each document. Throws an ApiError when there is nothing to compare. */
export async function tryOut(text: string): Promise<Tried> {
  const diff = (await (await sendYaml('/v1/diff', text)).json()) as Diff;
  for (const part of partsOf(text)) {
    try {
      await sendYaml('/v1/resources', part.text, { dryRun: true });
    } catch (error) {
      if (error instanceof ApiError) return { text, diff, error };
      throw error;
    }
  }
  return { text, diff, error: undefined };
}

/** Writes each document, in their order. Returns what was written, and throws the ApiError of the first that was not. */
export async function write(text: string, force: boolean): Promise<readonly string[]> {
  const written: string[] = [];
  for (const part of partsOf(text)) {
    await sendYaml('/v1/resources', part.text, force ? { force } : {});
    const { kind, namespace, name } = headOf(part.text);
    written.push(`${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`);
  }
  return written;
}
