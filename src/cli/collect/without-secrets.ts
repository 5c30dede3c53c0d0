import { redactedText } from '../../std/index.ts';

/** Names of headers, parameters and fields whose values are credentials. */
const secretName =
  /authorization|cookie|password|passwd|secret|credential|api[-_]?key|access[-_]?key|private[-_]?key|(^|[-_])(token|auth)$/i;

/** Fields that bear such a name and say where a secret is, not what it is. */
const harmlessName = /(^|_|\/)(secrets?|secretref|.*_config|secretName|secretCount|sds_secret.*|tls_certificate.*)$/i;

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * A value fit for strangers. Keys and tokens are in no answer of the admin API; but users write secrets where none belong: as the value of a
 * header that a route sets or asks for, in an annotation, in a URL. What looks like one is taken out.
 */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return withoutSecretText(value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  const isNamed = isSecretPair(value as Json);
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [
      key,
      isNamed && valueKeys.includes(key) ? concealed(field) : fieldOf(key, field),
    ]),
  );
}

/** Where a header or parameter has what it is, or is compared with. */
const valueKeys: readonly string[] = ['value', 'values', 'raw_value', 'match', 'string_match', 'exact_match'];

type Json = Readonly<Record<string, unknown>>;

/** `{name: 'authorization', value: …}` or, in Envoy's words, `{key: …, value: …}`, and the matches that are written so. */
const nameKey = (pair: Json): 'name' | 'key' => (typeof pair.key === 'string' && 'value' in pair ? 'key' : 'name');

function isSecretPair(pair: Json): boolean {
  const name = pair[nameKey(pair)];
  return typeof name === 'string' && secretName.test(name) && valueKeys.some((key) => key in pair);
}

/** Keeps the shape, so that it can be seen what was there. */
function concealed(value: unknown): unknown {
  if (typeof value === 'string') return redactedText;
  if (Array.isArray(value)) return value.map(concealed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, key === 'kind' ? field : concealed(field)]),
  );
}

function fieldOf(key: string, value: unknown): unknown {
  if (key === lastApplied) return redactedText;
  const isSecret = typeof value === 'string' && secretName.test(key) && !harmlessName.test(key);
  return isSecret ? redactedText : withoutSecrets(value);
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, redactedText],
  [/\b(Bearer|Basic)(\s+)[A-Za-z0-9+/=._~-]{6,}/gi, `$1$2${redactedText}`],
  [/:\/\/[^\s/@:]*:[^\s/@]+@/g, `://${redactedText}@`],
  // Tokens of Kubernetes and of any other issuer of JSON Web Tokens.
  [/\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*/g, redactedText],
];

/** Lines of logs and of anything else that is no JSON. */
export const withoutSecretText = (text: string): string =>
  patterns.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);
