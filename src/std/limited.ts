/** Pieces of an answer while they come in. Throws when there are more bytes than that. */
export async function* limited(pieces: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > mostBytes) throw new Error('the answer is too long');
    yield piece;
  }
}
