/** One entry of `subjectAltName`. */
export interface AltName {
  /** As Node writes it: `DNS`, `URI`, `IP Address`, `othername`, … */
  readonly kind: string;
  readonly value: string;
}

// Node quotes each value that has a comma, a quote, a backslash or anything that is no printable ASCII in it.
const entry = /(?<kind>[A-Za-z][A-Za-z0-9 ]*):(?<value>"(?:[^"\\]|\\.)*"|[^",\\]*)(?:, |$)/y;

/**
 * The entries of Node's text for a certificate's subject alternative names, such as `DNS:a.test, URI:spiffe://b/c`. Undefined when
 * the text as a whole is not such a list: what cannot be read to its end is not to be trusted in part.
 */
export function readAltNames(text: string): readonly AltName[] | undefined {
  const names: AltName[] = [];
  const reader = new RegExp(entry);
  while (reader.lastIndex < text.length) {
    const { kind, value } = reader.exec(text)?.groups ?? {};
    const plain = value === undefined ? undefined : unquoted(value);
    if (kind === undefined || plain === undefined) return undefined;
    names.push({ kind, value: plain });
  }
  return text.endsWith(', ') ? undefined : names;
}

function unquoted(value: string): string | undefined {
  if (!value.startsWith('"')) return value;
  try {
    return JSON.parse(value) as string;
  } catch {
    return undefined;
  }
}
