import type { Dice } from './dice.ts';
import { hostileTexts } from './hostile-values.ts';

const longest = 64 * 1024;

/** One of the samples with some bytes changed, left out, doubled, cut off, or taken from another; now and then bytes of nothing at all. */
export function spoiled(dice: Dice, samples: readonly Uint8Array[]): Buffer {
  if (dice.chance(0.05)) return Buffer.from(Array.from({ length: dice.below(300) }, () => dice.below(256)));
  let bytes = Buffer.from(dice.pick(samples));
  const rounds = dice.below(6);
  for (let round = 0; round < rounds; round += 1)
    bytes = Buffer.from(changed(bytes, dice, samples).subarray(0, longest));
  return bytes;
}

function changed(bytes: Buffer, dice: Dice, samples: readonly Uint8Array[]): Buffer {
  const at = dice.below(bytes.length + 1);
  const end = Math.min(bytes.length, at + dice.below(40));
  const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
  switch (dice.below(9)) {
    case 0:
      return Buffer.concat([before, Buffer.from([dice.below(256)]), bytes.subarray(at + 1)]);
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, part, part, after]);
    case 3:
      return Buffer.from(before);
    case 4: {
      const other = Buffer.from(dice.pick(samples));
      return Buffer.concat([before, other.subarray(dice.below(other.length + 1))]);
    }
    case 5:
      return Buffer.concat([before, Buffer.from(dice.pick(hostileTexts)), bytes.subarray(at)]);
    case 6:
      return withOtherValue(bytes.toString(), at, dice);
    case 7:
      return Buffer.concat([before, ...Array.from({ length: 2 ** dice.below(14) }, () => part.subarray(0, 3)), after]);
    default:
      return Buffer.concat([before, Buffer.from([0xff, 0xff, 0xff, 0xff].slice(dice.below(4))), after]);
  }
}

/** Of JSON: what no text or number is, and what is nested too deep for who goes down into it. */
const oddValues: readonly string[] = [
  'null',
  'true',
  '1e999',
  '-0.5',
  '{}',
  '[]',
  '{"toString":1}',
  '{"__proto__":{"length":1},"constructor":"a"}',
  `${'['.repeat(15_000)}${']'.repeat(15_000)}`,
  `${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`,
];

/** With another value of JSON in the place of one that begins after `at`. */
function withOtherValue(text: string, at: number, dice: Dice): Buffer {
  const { index, 0: value } = /(?<=[:,[]\s*)(?:"(?:[^"\\]|\\.)*"|-?\d+|true|false|null)/.exec(text.slice(at)) ?? {
    index: 0,
    0: '',
  };
  const place = at + index;
  return Buffer.from(`${text.slice(0, place)}${dice.pick(oddValues)}${text.slice(place + value.length)}`);
}
