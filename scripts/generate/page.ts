import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';

/** The sources of the page. */
export const pageDir = join(root, 'page');

/** The description of the admin API, from which the page has its types. */
export const openApiFile = join(root, 'docs/openapi.yaml');

/** The documentation, whose pages the web page shows. */
export const guideDir = join(root, 'docs');
export const guideFiles = (): readonly string[] =>
  readdirSync(guideDir)
    .filter((name) => name.endsWith('.md'))
    .sort();
