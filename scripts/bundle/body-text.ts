/**
 * Replaces iconv-lite, 0.5 MB of tables of characters, with which Koa's reader of bodies makes text. Gatewright takes UTF-8 and nothing else.
 */
export function getDecoder(encoding: string) {
  // The reader looks for these words, and answers with 415.
  if (!/^utf-?8$/i.test(encoding)) throw new Error(`Encoding not recognized: '${encoding}'`);
  const decoder = new TextDecoder();
  return {
    write: (bytes: Uint8Array): string => decoder.decode(bytes, { stream: true }),
    end: (): string => decoder.decode(),
  };
}
