import * as z from 'zod';
import { flag, text, whole } from './leaf.ts';

/** What code of users proxies run. */
export const extensions = z
  .strictObject({
    lua: flag()
      .prefault(false)
      .describe(
        'Proxies run the scripts of ExtensionPolicies (`lua`). Any author of such a policy can then take all time and memory of the proxies of a Gateway.',
      ),
    wasm: flag()
      .prefault(false)
      .describe(
        'Proxies run the modules of ExtensionPolicies (`wasm`). Any author of such a policy can then take all time of the proxies of a Gateway.',
      ),
    wasmDirectory: text('the path of a directory')
      .optional()
      .describe(
        'A directory of the control plane with modules (`NAME.wasm`) that the ExtensionPolicies of all namespaces may name. Replace a file by moving another into its place.',
      ),
    wasmMaxMiB: whole('the length of a module in MiB', 1, 64)
      .prefault(16)
      .describe(
        'How long a module may be that comes as an image or a file. Each replica of the control plane, and each proxy that runs it, holds it. The modules of one namespace may have four times that together.',
      ),
  })
  .prefault({})
  .describe('Code of users that proxies run: scripts and modules of [ExtensionPolicies](extensions.md#scripts).');
