/**
 * Hostile and malformed objects of all kinds, made by dice from goldens and examples: does anything break, and does a neighbour feel it?
 *
 *     npm run bench -- fuzz [--objects 3000] [--minutes NUMBER] [--seed NUMBER] [--only worlds,files,cluster,texts]
 *
 * `worlds`: many small worlds in one process. All that definitions let through is created, changed and deleted in any order with builds
 * between; the end is held, byte for byte, against a cold start, and a real Envoy is sent all of it. `files`: the program as users start it,
 * over a directory into which good and bad objects are written, while a canary route of the same Gateway is requested without a pause.
 * `cluster`: the same through a real API server. Both end with a cold start that has to come to the same snapshot. `texts`: parsers of what
 * strangers write. `--objects` are shared among the first three; with `--minutes` each part ends after that time, with as many as it came to.
 * Ends with 1, and says the seed of each case, where something broke.
 */
import { parseArgs } from 'node:util';
import { inOwnNetwork } from '../host/own-network.ts';
import type { FuzzOptions, FuzzResult } from './fuzz-part.ts';

inOwnNetwork();
const { values: options } = parseArgs({
  options: {
    objects: { type: 'string', default: '3000' },
    minutes: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string' },
  },
});
/** Loaded when they run: this program begins twice, the first time only to open its network, and each part loads much of the whole. */
const parts: Readonly<Record<string, () => Promise<(options: FuzzOptions) => Promise<FuzzResult>>>> = {
  worlds: async () => (await import('./worlds.ts')).fuzzWorlds,
  files: async () => (await import('./files.ts')).fuzzFiles,
  cluster: async () => (await import('./cluster.ts')).fuzzCluster,
  texts: async () => (await import('./texts.ts')).fuzzTexts,
};
const wanted = options.only?.split(',') ?? Object.keys(parts);
const seed = Number(options.seed);
const objects = Math.ceil(Number(options.objects) / 3);
const mostMs = Number(options.minutes) * 60_000;

for (const [name, load] of Object.entries(parts)) {
  if (!wanted.includes(name)) continue;
  const run = await load();
  const began = performance.now();
  const { faults, ...figures } = await run({ seed, objects, hasTime: () => performance.now() - began < mostMs });
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stdout.write(`${JSON.stringify({ part: name, seed, ...figures, faults: faults.length, seconds })}\n`);
  for (const fault of faults.slice(0, 20)) process.stderr.write(`${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}
