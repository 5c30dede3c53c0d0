import { fromBinary, type JsonValue, toJson } from '@bufbuild/protobuf';
import { registry } from '../../envoy/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';

/** One resource as a data plane is sent it, in protobuf JSON with the names of Envoy's documentation. */
export interface EnvoyResourceRecord {
  readonly typeUrl: string;
  readonly name: string;
  readonly version: string;
  readonly resource: JsonValue;
}

/** Fields that hold keys, wherever they stand; their values are never shown. Source: Envoy's fields marked `udpa.annotations.sensitive`. */
const secretFields: ReadonlySet<string> = new Set([
  'private_key',
  'private_key_provider',
  'password',
  'session_ticket_keys',
]);
const hidden = '[redacted]';

export const envoyResourceRecord = ({ typeUrl, name, version, body }: EnvoyResource): EnvoyResourceRecord => ({
  typeUrl,
  name,
  version,
  resource: redacted(decoded(typeUrl, body)),
});

function decoded(typeUrl: string, body: Uint8Array): JsonValue {
  const schema = registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf('/') + 1));
  if (!schema) throw new Error(`${typeUrl} is not among the generated types`);
  return toJson(schema, fromBinary(schema, body), { registry, useProtoFieldName: true });
}

function redacted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(redacted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, secretFields.has(key) ? hidden : redacted(field)]),
  );
}
