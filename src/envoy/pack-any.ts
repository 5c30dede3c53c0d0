import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { type Any, anyPack } from '@bufbuild/protobuf/wkt';

/** An `Any` with the message, as Envoy takes every extension's configuration. The bytes are encoded now. */
export function packAny<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): Any {
  return anyPack(schema, message);
}
