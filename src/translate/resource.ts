import { createHash } from 'node:crypto';
import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { EnvoyResource } from './envoy-resource.ts';

/** Encodes a message as a resource; its version is made from the bytes. */
export function resourceOf<Desc extends DescMessage>(
  typeUrl: string,
  name: string,
  schema: Desc,
  message: MessageShape<Desc>,
): EnvoyResource {
  const body = toBinary(schema, message);
  return { typeUrl, name, version: versionOf(body), body };
}

/** 16 hexadecimal digits. */
export const versionOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex').slice(0, 16);
