import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { PullFault } from './pull-fault.ts';

const unzipped = promisify(gunzip);
/** Of the archive's own, beside what is in it. */
const headerBytes = 64 * 1024;
const name = 'plugin.wasm';

/** The file `plugin.wasm` of a layer, which is a tar archive, zipped or not. Throws PullFault. */
export async function moduleInArchive(layer: Buffer, maxBytes: number): Promise<Buffer> {
  const archive = isZipped(layer) ? await unzip(layer, maxBytes + headerBytes) : layer;
  const found = await fileIn(archive);
  if (found) return found;
  throw new PullFault(`its last layer has no ${name}`);
}

const isZipped = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

async function unzip(layer: Buffer, maxOutputLength: number): Promise<Buffer> {
  try {
    return await unzipped(layer, { maxOutputLength });
  } catch (caught) {
    const isTooLong = (caught as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const what = isTooLong ? `is unpacked more than ${maxOutputLength} bytes long` : 'cannot be unpacked';
    throw new PullFault(`its last layer ${what}`, { cause: caught });
  }
}

/** All of it is in memory, so the parser is done when it has taken it. Few control planes ever unpack one, so it is loaded by the first. */
async function fileIn(archive: Buffer): Promise<Buffer | undefined> {
  const { Parser } = await import('tar');
  let chunks: Buffer[] | undefined;
  const parser = new Parser({
    strict: true,
    filter: (path, entry) => path.replace(/^\.\//, '') === name && 'type' in entry && entry.type === 'File',
    onReadEntry(entry) {
      const own: Buffer[] = [];
      chunks = own;
      entry.on('data', (chunk: Buffer) => own.push(chunk));
    },
  });
  let fault: unknown;
  parser.on('error', (caught: unknown) => {
    fault ??= caught;
  });
  parser.end(archive);
  if (fault !== undefined) throw new PullFault('its last layer is no archive', { cause: fault });
  return chunks && Buffer.concat(chunks);
}
