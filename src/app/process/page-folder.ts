import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** The folder of the built page, where set-up builds it in a clone, or beside the program in a bundle; undefined where there is none. */
export const pageFolder: string | undefined = ['build/page', 'page']
  .map((folder) => join(packageRoot, folder))
  .find((folder) => existsSync(join(folder, 'assets')));
