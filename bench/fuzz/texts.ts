import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dice } from '../../test/support/fuzz/dice.ts';
import { parsers } from '../../test/support/fuzz/parsers.ts';
import { spoiled } from '../../test/support/fuzz/spoil.ts';
import type { FuzzOptions, FuzzResult } from './fuzz-part.ts';

/** A text for which a parser takes longer holds up others; machines that are shared pause, so that the time is that of the processor. */
const mostMs = 1_000;

/** Each parser of what strangers write, with texts that were spoilt by dice: none may throw but what it says, or take long. */
export async function fuzzTexts({ seed, objects, hasTime }: FuzzOptions): Promise<FuzzResult> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-texts-'));
  const faults: string[] = [];
  const all = Object.entries(parsers).map(([name, parser]) => ({ ...parser, name, dice: new Dice(seed) }));
  let texts = 0;
  let slowestMs = 0;
  for (let at = 0; at < objects && hasTime(); at += 1) {
    for (const { name, samples, parse, dice } of all) {
      const bytes = spoiled(dice, samples);
      texts += 1;
      const { user } = process.cpuUsage();
      try {
        await parse(bytes);
      } catch (error) {
        const file = join(folder, `${name}-${at}`);
        writeFileSync(file, bytes);
        faults.push(`${name}, text ${at} of seed ${seed}, in ${file}: ${(error as Error).stack?.slice(0, 600)}`);
      }
      const tookMs = Math.round((process.cpuUsage().user - user) / 1_000);
      slowestMs = Math.max(slowestMs, tookMs);
      if (tookMs > mostMs) faults.push(`${name}, text ${at} of seed ${seed}: ${tookMs} ms`);
    }
  }
  if (faults.length === 0) rmSync(folder, { recursive: true });
  return { faults, parsers: all.length, texts, slowestMs };
}
