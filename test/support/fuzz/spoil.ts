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
  switch (dice.below(7)) {
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
    default:
      return Buffer.concat([before, Buffer.from([0xff, 0xff, 0xff, 0xff].slice(dice.below(4))), after]);
  }
}
