import { join } from 'node:path';
import { root } from '../paths.mjs';

/** The sources of the page. */
export const pageDir = join(root, 'page');

/** The description of the admin API, from which the page has its types. */
export const openApiFile = join(root, 'docs/openapi.yaml');
