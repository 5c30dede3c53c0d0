import { hash } from 'node:crypto';
import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { textOfBytes } from '../../std/memory/index.ts';
import type { EnvoyResource } from './envoy-resource.ts';

/** Encodes a message as a resource; its version is made from the bytes. */
export function resourceOf<Desc extends DescMessage>(
  typeUrl: string,
  name: string,
  schema: Desc,
  message: MessageShape<Desc>,
): EnvoyResource {
  return encodedResource(typeUrl, name, toBinary(schema, message));
}

/** The same of a message that is encoded already. */
export const encodedResource = (typeUrl: string, name: string, bytes: Uint8Array): EnvoyResource => ({
  typeUrl,
  name,
  version: versionOf(bytes),
  body: textOfBytes(bytes),
});

/** The same in several pieces, which its version is made from, too. */
export const inPieces = (resource: EnvoyResource, pieces: readonly EnvoyResource[]): EnvoyResource => ({
  ...resource,
  version: versionOf(Buffer.from([resource, ...pieces].map(({ version }) => version).join(' '))),
  pieces,
});

/** 16 hexadecimal digits. Made of these bytes alone: a part of a longer string would keep all of it. */
const versionOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'buffer').toString('hex', 0, 8);
