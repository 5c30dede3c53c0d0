import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { Dice } from '../../support/fuzz/dice.ts';
import { parsers } from '../../support/fuzz/parsers.ts';
import { spoiled } from '../../support/fuzz/spoil.ts';
import { repetitions } from '../../support/repetitions.ts';

// `npm run bench -- fuzz --only texts` does the same with other seeds, by the thousand.

for (const [name, { samples, parse }] of Object.entries(parsers))
  test(`what reads what strangers write fails on no spoilt text: ${name}`, async (t) => {
    t.timeout(600_000);
    const dice = new Dice(1);
    for (let at = 0; at < repetitions({ few: 60, all: 600 }); at += 1) {
      const bytes = spoiled(dice, samples);
      await t.notThrowsAsync(async () => await parse(bytes), `text ${at}: ${bytes.toString('base64').slice(0, 2_000)}`);
      if (at % 20 === 0) await setImmediate();
    }
  });
