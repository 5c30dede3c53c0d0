import { fromBinary, type JsonValue, toJson } from '@bufbuild/protobuf';
import { registry } from '../../envoy/index.ts';
import { bytesOfText } from '../../std/memory/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import { redacted } from '../http/redacted.ts';

/** One resource as a data plane is sent it, in protobuf JSON with the names of Envoy's documentation. */
export interface EnvoyResourceRecord {
  readonly typeUrl: string;
  readonly name: string;
  readonly version: string;
  readonly resource: unknown;
}

export const envoyResourceRecord = ({ typeUrl, name, version, body }: EnvoyResource): EnvoyResourceRecord => ({
  typeUrl,
  name,
  version,
  resource: redacted(decoded(typeUrl, bytesOfText(body))),
});

function decoded(typeUrl: string, body: Uint8Array): JsonValue {
  const schema = registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf('/') + 1));
  if (!schema) throw new Error(`${typeUrl} is not among the generated types`);
  return toJson(schema, fromBinary(schema, body), { registry, useProtoFieldName: true });
}
