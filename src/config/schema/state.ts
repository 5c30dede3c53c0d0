import * as z from 'zod';
import { flag, text } from './leaf.ts';

/** What is kept while the control plane runs, and afterwards. */
export const state = z
  .strictObject({
    directory: text('the path of a directory')
      .optional()
      .describe(
        'A directory for what AI traffic used and, without a cluster, for settings made through the admin API. Without a cluster by default one of `$XDG_STATE_HOME/gatewright` (`~/.local/state/gatewright`) for each directory of resources.',
      ),
    secret: text('the name of a Secret')
      .default('gatewright-settings')
      .describe('In a cluster: the Secret that keeps them, in the namespace of the control plane. It must exist.'),
  })
  .prefault({})
  .describe('Where settings are kept that are made through the admin API.');

/** How servers may be called that somebody configured. */
export const outgoing = z
  .strictObject({
    allowLoopback: flag()
      .optional()
      .describe(
        'Whether a metrics backend or model provider may be on this very machine. Without it: only while resources come from a directory and `admin.listen` is on loopback.',
      ),
  })
  .prefault({})
  .describe('Calls to servers that somebody configured: the metrics backend, the model provider of the chatbot.');
