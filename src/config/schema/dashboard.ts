import * as z from 'zod';
import { flag } from './leaf.ts';

/** The web page at `/` of Layout 1. */
export const dashboard = z
  .strictObject({
    enabled: flag().prefault(true).describe('Serves the web page at `/` of `admin.listen`; `false`: `/` is a 404.'),
    readOnly: flag()
      .optional()
      .describe(
        'Hides the editor and the settings of add-ons in the page; the API decides by the token. Default: `true` in a cluster, `false` over a directory.',
      ),
  })
  .prefault({})
  .describe('The web page of the control plane.');
