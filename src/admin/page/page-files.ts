import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** A file of the page, as it is and packed. */
export interface PageFile {
  /** Its media type. */
  readonly type: string;
  /** A digest of its content, without quotes. */
  readonly tag: string;
  readonly bodies: Readonly<Partial<Record<'identity' | 'gzip' | 'br', Buffer>>>;
}

/** By path, such as `/index.html` and `/assets/main-1A2B.js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

/** Reads the built page into memory: none of it where there is no such folder. */
export async function readPageFiles(folder: string): Promise<PageFiles> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const present = new Set(names);
  const files = names.flatMap((name) => {
    const type = types[extname(name)];
    return type === undefined ? [] : [readPageFile(folder, name, type, present)];
  });
  return new Map(await Promise.all(files));
}

async function readPageFile(folder: string, name: string, type: string, present: ReadonlySet<string>) {
  const read = async (ending: string) =>
    present.has(`${name}${ending}`) ? await readFile(join(folder, `${name}${ending}`)) : undefined;
  const identity = await readFile(join(folder, name));
  const [gzip, br] = [await read('.gz'), await read('.br')];
  const tag = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
  const file: PageFile = { type, tag, bodies: { identity, ...(gzip && { gzip }), ...(br && { br }) } };
  return [`/${name.replaceAll('\\', '/')}`, file] as const;
}
