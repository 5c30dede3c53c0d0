import type { KubernetesObject } from '../gateway-api/index.ts';
import { KubeError, type StatusBody } from './kube-error.ts';
import type { Answer } from './transport/answer.ts';

/** One event of a watch. The object of a bookmark carries nothing but `metadata.resourceVersion`. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: KubernetesObject;
}

/** The whole text of an answer. Rejects with KubeError. */
export async function readBody(what: string, { body, isWhole }: Answer, timeoutMs: number): Promise<string> {
  const late = () =>
    body.destroy(new KubeError({ code: 'timeout', message: `${what}: answer not complete in ${timeoutMs} ms` }));
  const timer = setTimeout(late, timeoutMs);
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk as Buffer);
    if (!isWhole()) throw new Error('the connection was lost');
    return Buffer.concat(chunks).toString('utf8');
  } catch (caught) {
    throw KubeError.from(what, caught);
  } finally {
    clearTimeout(timer);
  }
}

/** The Status in an error’s answer, if it is one. Proxies in front of an API server answer with text or HTML. */
export function statusBody(text: string): StatusBody | undefined {
  try {
    const body = JSON.parse(text) as StatusBody;
    return typeof body === 'object' && body?.kind === 'Status' ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Throws KubeError for the ERROR event, and for what is no event. */
export function checkedEvent(what: string, value: unknown): WatchEvent {
  const { type, object } = (value ?? {}) as { type?: string; object?: KubernetesObject & StatusBody };
  if (type === 'ERROR') throw KubeError.fromStatus(what, object?.code ?? 500, object);
  if (object?.metadata?.resourceVersion === undefined)
    throw malformed(what, new Error(`${type ?? 'event'} without an object`));
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK') return { type, object };
  throw malformed(what, new Error(`event of unknown type ${type}`));
}

export const malformed = (what: string, cause: unknown): KubeError =>
  new KubeError({
    code: 'malformed',
    message: `${what}: answer is not what the Kubernetes API promises: ${(cause as Error).message}`,
    cause,
  });
