import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

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
