const newline = 0x0a;

/**
 * The JSON documents of a stream that has one on each line, as a watch has. Each line is decoded and parsed once, and a line that comes
 * in many chunks is joined once. Throws SyntaxError for a line that is not JSON; a last line without its newline was cut off and is dropped.
 */
export async function* jsonLines(stream: AsyncIterable<Buffer>): AsyncGenerator<unknown, void, undefined> {
  let pending: Buffer[] = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const piece = chunk.subarray(start, end);
      const line = pending.length === 0 ? piece : Buffer.concat([...pending, piece]);
      pending = [];
      start = end + 1;
      if (line.length > 0) yield JSON.parse(line.toString('utf8'));
    }
    if (start < chunk.length) pending.push(chunk.subarray(start));
  }
}
