const [quote, backslash] = [0x22, 0x5c];
const openers = new Set([0x7b, 0x5b]);
const closers = new Set([0x7d, 0x5d]);

/** Items of the list are this deep: in an object, in a list. */
const itemDepth = 2;

/**
 * The items of an answer such as `{"cluster_statuses": [ITEM, ITEM]}`, one by one while it comes in: at ten thousand endpoints it is many
 * megabytes, which would otherwise be in memory as bytes, as text and as objects at once. Throws SyntaxError when an item is no JSON.
 */
export async function* jsonItems(chunks: AsyncIterable<Buffer>): AsyncGenerator<unknown> {
  let depth = 0;
  let inText = false;
  let escaped = false;
  /** What has come of an item that is not complete. */
  let begun: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = begun.length > 0 ? 0 : -1;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inText = false;
      } else if (byte === quote) inText = true;
      else if (openers.has(byte)) {
        if (depth === itemDepth) start = at;
        depth += 1;
      } else if (closers.has(byte)) {
        depth -= 1;
        if (depth !== itemDepth || start < 0) continue;
        yield JSON.parse(Buffer.concat([...begun, chunk.subarray(start, at + 1)]).toString());
        begun = [];
        start = -1;
      }
    }
    if (start >= 0) begun.push(Buffer.from(chunk.subarray(start)));
  }
}
