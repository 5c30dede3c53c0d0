import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** Calls `field` for each field of a message; what `field` does not take (returns false) is skipped. Throws when the bytes are no message. */
export function readFields(
  bytes: Uint8Array,
  field: (no: number, wireType: WireType, reader: BinaryReader) => boolean,
): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    if (!field(no, wireType, reader)) reader.skip(wireType, no);
  }
}

/** The messages in the field of this number, as views of their bytes. Throws when the bytes are no message. */
export function messagesIn(bytes: Uint8Array, number: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  readFields(bytes, (no, wireType, reader) => {
    if (no !== number || wireType !== WireType.LengthDelimited) return false;
    found.push(reader.bytes());
    return true;
  });
  return found;
}
