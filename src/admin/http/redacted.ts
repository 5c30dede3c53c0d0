import { redactedText } from '../../std/index.ts';
import { jsonParts } from '../../std/json/index.ts';

/** Fields of Envoy's messages that hold keys. Envoy leaves out what it knows to be secret; these say nothing, whatever it knows. */
const secretFields: ReadonlySet<string> = new Set([
  'private_key',
  // Of api_key_auth.
  'credentials',
  // Of ext_authz: what is added to its questions. Users and their hashes are among it, see passwordQuestion.
  'authorization_request',
  'private_key_provider',
  'password',
  'session_ticket_keys',
  'generic_secret',
  'inline_bytes',
  'token_secret',
  'hmac_secret',
]);

/** A message in protobuf JSON, by the names of Envoy's documentation, with everything secret in it replaced. */
export function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, secretFields.has(key) ? redactedText : redacted(field)]),
  );
}

const replacement = Buffer.from(JSON.stringify(redactedText));

/** The same of its text, while it comes in: all that an Envoy holds may be a hundred megabytes. */
export async function* redactedJson(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const isSecret = (path: readonly string[]): boolean => secretFields.has(path.at(-1) ?? '');
  for await (const { path, bytes } of jsonParts(chunks, isSecret)) yield path === undefined ? bytes : replacement;
}
