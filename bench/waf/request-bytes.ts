import type { StageInput } from './cases.ts';

/** The request as go-ftw sends it: what a test leaves out is made up. Text is UTF-8. */
export function requestBytes(input: StageInput): Buffer {
  if (input.encoded_request !== undefined) return Buffer.from(input.encoded_request, 'base64');
  const {
    method = 'GET',
    uri = '/',
    version = 'HTTP/1.1',
    headers = {},
    autocomplete_headers: completes = true,
  } = input;
  const all = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const has = (wanted: string) => all.some(([name]) => name.toLowerCase() === wanted);
  const body = Buffer.from(input.data ?? '');
  if (!completes) return message([method, uri, version], all, body);
  if (body.length > 0 && !has('content-type')) all.push(['Content-Type', formType]);
  const sent = isForm(all) ? encodedForm(body) : body;
  const mayHaveBody = sent.length > 0 || ['POST', 'PUT', 'PATCH'].includes(method);
  if (mayHaveBody && !has('content-length') && !has('transfer-encoding'))
    all.push(['Content-Length', `${sent.length}`]);
  if (!has('connection')) all.push(['Connection', 'close']);
  return message([method, uri, version], all, sent);
}

const formType = 'application/x-www-form-urlencoded';

const isForm = (headers: readonly [string, string][]): boolean =>
  headers.some(([name, value]) => name.toLowerCase() === 'content-type' && value === formType);

const message = (line: readonly string[], headers: readonly [string, string][], body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`${line.join(' ')}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`),
    body,
  ]);

/** Fields of a form that are not encoded yet are encoded. */
function encodedForm(body: Buffer): Buffer {
  const text = body.toString();
  if (text === '' || /[%+]/.test(text)) return body;
  const fields = text.split('&').map((field) => {
    const at = field.indexOf('=');
    return at < 0 ? ([field, ''] as const) : ([field.slice(0, at), field.slice(at + 1)] as const);
  });
  // No form: all of it is one text.
  if (fields.every(([, value]) => value === '')) return Buffer.from(queryEscape(text));
  return Buffer.from(fields.map(([name, value]) => `${queryEscape(name)}=${queryEscape(value)}`).join('&'));
}

const queryEscape = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
