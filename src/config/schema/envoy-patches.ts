import * as z from 'zod';
import { flag } from './leaf.ts';

/** Patches of Envoy's configuration. */
export const envoyPatches = z
  .strictObject({
    enabled: flag().prefault(false).describe('Reads EnvoyPatches, and lays them over what proxies are sent.'),
  })
  .prefault({})
  .describe("Patches of Envoy's own configuration: [envoy-patches.md](envoy-patches.md).");
