import { ApiError, ask } from '../../../api/index.ts';

/** What came back, as far as it was read. */
export interface Answered {
  readonly status: number;
  readonly ms: number;
  /** How many were read. */
  readonly bytes: number;
  readonly isCut: boolean;
  /** `X-Total-Count` of a list; undefined when there is none. */
  readonly total: string | undefined;
  /** JSON as lines, anything else as it is. */
  readonly text: string;
}

/** More than this would be slow to show, and nobody reads it. */
export const mostBytes = 256 * 1024;

/** Asks once, with the token of the page, and reads so much of the answer. Rejects when there is none. */
export async function readOnce(url: string, abort: AbortSignal): Promise<Answered> {
  const begun = performance.now();
  try {
    const response = await ask(url, { signal: abort });
    const { chunks, bytes, isCut } = await read(response);
    const total = response.headers.get('X-Total-Count') ?? undefined;
    const text = new TextDecoder().decode(await new Blob(chunks).arrayBuffer());
    return {
      status: response.status,
      ms: performance.now() - begun,
      bytes,
      isCut,
      total,
      text: isCut ? text : inLines(text),
    };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) throw error;
    const { code, message, details, status } = error;
    const text = JSON.stringify({ error: { code, message, ...(details.length > 0 && { details }) } }, null, 2);
    return { status, ms: performance.now() - begun, bytes: text.length, isCut: false, total: undefined, text };
  }
}

async function read({ body }: Response) {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = (body ?? new ReadableStream<Uint8Array<ArrayBuffer>>()).getReader();
  let bytes = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const chunk = next.value.subarray(0, mostBytes - bytes);
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < mostBytes) continue;
    await reader.cancel();
    return { chunks, bytes, isCut: true };
  }
  return { chunks, bytes, isCut: false };
}

function inLines(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
