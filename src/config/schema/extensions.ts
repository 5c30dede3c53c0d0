import * as z from 'zod';
import { flag } from './leaf.ts';

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
  })
  .prefault({})
  .describe('Code of users that proxies run: scripts and modules of [ExtensionPolicies](extensions.md#scripts).');
