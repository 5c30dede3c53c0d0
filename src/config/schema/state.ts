import * as z from 'zod';
import { flag, text } from './leaf.ts';

/** What is kept while the control plane runs, and afterwards. */
export const state = z
  .strictObject({
    directory: text('the path of a directory')
      .optional()
      .describe(
        'A directory for AI usage, modules that were pulled and, without a cluster, settings of the admin API. Default without a cluster: a folder of `$XDG_STATE_HOME/gatewright` (`~/.local/state/gatewright`) for each directory of resources.',
      ),
    secret: text('the name of a Secret')
      .default('gatewright-settings')
      .describe('In a cluster: the Secret for these settings, in the control plane’s namespace. It must exist.'),
  })
  .prefault({})
  .describe('Storage of settings that are changed through the admin API.');

/** How configured servers may be called. */
export const outgoing = z
  .strictObject({
    allowLoopback: flag()
      .optional()
      .describe(
        'Allows a metrics backend or model provider on this machine. Default: only if resources come from a directory and `admin.listen` is on loopback.',
      ),
  })
  .prefault({})
  .describe('Calls to configured servers: the metrics backend, the model provider of the chatbot.');
