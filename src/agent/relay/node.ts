import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** `envoy.config.core.v3.Node.extensions` */
const extensionsField = 9;

/**
 * Envoy's encoded Node without the list of its extensions: tens of kilobytes that no control plane of ours looks at, and
 * that would go over the network on every reconnect. Everything else stays as Envoy wrote it.
 */
export function withoutExtensions(node: Uint8Array): Uint8Array {
  const reader = new BinaryReader(node);
  const writer = new BinaryWriter();
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    const data = reader.skip(wireType, no);
    if (no !== extensionsField) writer.tag(no, wireType).raw(data);
  }
  return writer.finish();
}

/** `envoy.config.core.v3.Node.metadata`, a `google.protobuf.Struct` */
const metadataField = 3;

/** The same node with one more text in its metadata, whatever was there by that name. */
export function withMetadata(node: Uint8Array, name: string, text: string): Uint8Array {
  const reader = new BinaryReader(node);
  const writer = new BinaryWriter();
  const fields: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [no, wireType] = reader.tag();
    if (no === metadataField && wireType === WireType.LengthDelimited) fields.push(reader.bytes());
    else writer.tag(no, wireType).raw(reader.skip(wireType, no));
  }
  // Of several entries of a map with one key the last one counts.
  writer.tag(metadataField, WireType.LengthDelimited).bytes(Buffer.concat([...fields, entry(name, text)]));
  return writer.finish();
}

/** One entry of `Struct.fields`: a key, and a `Value` with its `string_value`. */
const entry = (name: string, text: string): Uint8Array =>
  new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .fork()
    .tag(1, WireType.LengthDelimited)
    .string(name)
    .tag(2, WireType.LengthDelimited)
    .fork()
    .tag(3, WireType.LengthDelimited)
    .string(text)
    .join()
    .join()
    .finish();
