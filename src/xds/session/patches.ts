import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { patchType } from '../../contracts/index.ts';
import { textOfBytes } from '../../std/memory/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import { differenceOf, type Step } from './difference.ts';

/** What was made of one resource: from which version, and the patch, if one is worth while. */
interface Made {
  readonly base: string;
  readonly patch: EnvoyResource | undefined;
}

/** What is shorter is sent whole: most of a short answer is not the resource. */
export const shortestPatched = 4096;

/** Patches between versions of long resources (`patchType`). Each is made once, for all clients that have the former version. */
export class Patches {
  readonly #made = new WeakMap<EnvoyResource, Made>();

  /** What goes out in place of `after` to a client that has `before`; undefined: it is not much shorter. */
  between(before: EnvoyResource, after: EnvoyResource): EnvoyResource | undefined {
    const known = this.#made.get(after);
    if (known?.base === before.version) return known.patch;
    const patch = patchOf(before, after);
    this.#made.set(after, { base: before.version, patch });
    return patch;
  }
}

function patchOf(before: EnvoyResource, { name, version, body }: EnvoyResource): EnvoyResource | undefined {
  const patch = textOfBytes(encode(before.version, differenceOf(before.body, body)));
  return patch.length * 2 < body.length ? { typeUrl: patchType, name, version, body: patch } : undefined;
}

function encode(base: string, steps: readonly Step[]): Uint8Array {
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(base);
  for (const { from, length, insert } of steps) {
    writer.tag(2, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.Varint).uint32(from).tag(2, WireType.Varint).uint32(length);
    writer.tag(3, WireType.LengthDelimited).bytes(Buffer.from(insert, 'latin1'));
    writer.join();
  }
  return writer.finish();
}
