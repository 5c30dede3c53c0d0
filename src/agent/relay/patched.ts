import { patchType } from '../../contracts/index.ts';
import { readFields } from '../../envoy/wire/index.ts';
import { encodeResource, resourceBody, type WireResource } from './delta-messages.ts';
import type { HeldType } from './held-type.ts';

/** One step of a patch: bytes of the former body, and what stands behind them. */
interface Step {
  readonly from: number;
  readonly length: number;
  readonly insert: Uint8Array;
}

const noBytes: Uint8Array = new Uint8Array();
const patchName = Buffer.from(patchType);

/**
 * The resource itself, or what its patch makes of the resource that Envoy has or rejected (`held`); undefined when that is not held.
 * Throws when the patch cannot be read, or leads out of what it is applied to.
 */
export function wholeOf(
  typeUrl: string,
  resource: WireResource,
  held: Pick<HeldType, 'resources' | 'rejected'>,
): WireResource | undefined {
  const patch = patchIn(resource);
  if (!patch) return resource;
  const version = baseOf(patch);
  const known = [held.resources.get(resource.name), held.rejected.get(resource.name)];
  const base = known.find((each) => each?.version === version);
  return base && applyPatch(typeUrl, resource, { base, patch });
}

/** The encoded `ResourcePatch` (see `patchType`) that a resource is in place of its body; undefined when it is whole. */
function patchIn({ bytes }: WireResource): Uint8Array | undefined {
  let isPatch = false;
  let value: Uint8Array = noBytes;
  readFields(bytes, (no, _wireType, reader) => {
    if (no !== 2) return false;
    readFields(reader.bytes(), (anyNo, _anyWireType, any) => {
      if (anyNo === 1) isPatch = patchName.equals(any.bytes());
      else if (anyNo === 2) value = any.bytes();
      else return false;
      return true;
    });
    return true;
  });
  return isPatch ? value : undefined;
}

/** Version of what a patch is to be applied to. Throws when the bytes are no protobuf message. */
function baseOf(patch: Uint8Array): string {
  let base = '';
  readFields(patch, (no, _wireType, reader) => {
    if (no !== 1) return false;
    base = reader.string();
    return true;
  });
  return base;
}

/** The whole resource of this type that `patch` makes of `base`. Throws when the patch leads out of it. */
function applyPatch(
  typeUrl: string,
  { name, version }: WireResource,
  { base, patch }: { readonly base: WireResource; readonly patch: Uint8Array },
): WireResource {
  const body = patchedBody(resourceBody(base) ?? noBytes, stepsIn(patch));
  return encodeResource(typeUrl, { name, version }, body);
}

function patchedBody(base: Uint8Array, steps: readonly Step[]): Uint8Array {
  const parts = steps.flatMap(({ from, length, insert }) => {
    if (from + length > base.length)
      throw new RangeError(`a patch copies up to byte ${from + length} of ${base.length}`);
    return [base.subarray(from, from + length), insert];
  });
  return Buffer.concat(parts);
}

function stepsIn(patch: Uint8Array): Step[] {
  const steps: Step[] = [];
  readFields(patch, (no, _wireType, reader) => {
    if (no !== 2) return false;
    steps.push(readStep(reader.bytes()));
    return true;
  });
  return steps;
}

function readStep(bytes: Uint8Array): Step {
  let [from, length] = [0, 0];
  let insert: Uint8Array = noBytes;
  readFields(bytes, (no, _wireType, reader) => {
    if (no === 1) from = reader.uint32();
    else if (no === 2) length = reader.uint32();
    else if (no === 3) insert = reader.bytes();
    else return false;
    return true;
  });
  return { from, length, insert };
}
