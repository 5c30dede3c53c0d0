import { fromBinary, type JsonValue, toJson } from '@bufbuild/protobuf';
import { registry } from '../../envoy/index.ts';
import { bytesOfText } from '../../std/memory/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import { redacted } from '../http/redacted.ts';
import type { EnvoyResourceRecord } from './record.ts';

export const envoyResourceRecord = ({ typeUrl, name, version, body }: EnvoyResource): EnvoyResourceRecord => ({
  typeUrl,
  name,
  version,
  resource: redacted(decoded(typeUrl, bytesOfText(body))) as object,
});

function decoded(typeUrl: string, body: Uint8Array): JsonValue {
  const schema = registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf('/') + 1));
  if (!schema) throw new Error(`${typeUrl} is not among the generated types`);
  return toJson(schema, fromBinary(schema, body), { registry, useProtoFieldName: true });
}
