import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Directory of our package.json, which a bundle has, too: the first of the folders around this file that has one. */
export const packageRoot: string = rootAbove(import.meta.dirname);

function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  if (dirname(folder) === folder) throw new Error(`no package.json above ${import.meta.dirname}`);
  return rootAbove(dirname(folder));
}
