import { jsonParts } from '../../std/json/index.ts';

/**
 * The items of an answer such as `{"cluster_statuses": [ITEM, ITEM]}`, one by one while it comes in: at ten thousand endpoints it is many
 * megabytes, which would otherwise be in memory as bytes, as text and as objects at once. Throws SyntaxError when an item is no JSON.
 */
export async function* jsonItems(chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  for await (const { path, bytes } of jsonParts(chunks, isItem))
    if (path !== undefined) yield JSON.parse(bytes.toString());
}

/** In a list, in an object. */
const isItem = (path: readonly string[]): boolean => path.length === 2 && path[1] === '*';
