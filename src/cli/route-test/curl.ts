import { parseArgs } from 'node:util';
import { CliError } from '../kit/cli-error.ts';
import type { RouteTestOptions } from './route-test.ts';

/** Options of curl that say what the request is. All others are read over: they say how it is sent, or what is printed. */
const read = {
  request: { type: 'string', short: 'X' },
  header: { type: 'string', short: 'H', multiple: true },
  url: { type: 'string' },
  head: { type: 'boolean', short: 'I' },
  get: { type: 'boolean', short: 'G' },
  'user-agent': { type: 'string', short: 'A' },
  referer: { type: 'string', short: 'e' },
  cookie: { type: 'string', short: 'b' },
  user: { type: 'string', short: 'u' },
  'oauth2-bearer': { type: 'string' },
  data: { type: 'string', short: 'd', multiple: true },
  'data-raw': { type: 'string', multiple: true },
  'data-binary': { type: 'string', multiple: true },
  'data-urlencode': { type: 'string', multiple: true },
  json: { type: 'string', multiple: true },
  form: { type: 'string', short: 'F', multiple: true },
  'upload-file': { type: 'string', short: 'T' },
} as const;

/** Options with a value that does not matter here; without this list their values would be taken for URLs. */
const readOver = Object.fromEntries(
  [
    ...['o:output', 'w:write-out', 'm:max-time', 'x:proxy', 'D:dump-header', 'c:cookie-jar', 'E:cert'],
    ...['K:config', 'r:range', 'y:speed-time', 'Y:speed-limit', 'z:time-cond', 'C:continue-at', 'P:ftp-port'],
    ...['resolve', 'connect-to', 'cacert', 'capath', 'key', 'connect-timeout', 'retry', 'retry-delay'],
    ...['retry-max-time', 'max-redirs', 'limit-rate', 'interface', 'unix-socket', 'ciphers', 'tls-max', 'noproxy'],
    ...['proto', 'cert-type', 'key-type', 'dns-servers', 'local-port', 'max-filesize', 'stderr'],
    ...['trace', 'trace-ascii', 'aws-sigv4', 'socks5', 'socks5-hostname', 'rate', 'happy-eyeballs-timeout-ms'],
  ].map((each) => {
    const [short, name] = each.split(':');
    return name === undefined ? [short, { type: 'string' }] : [name, { type: 'string', short }];
  }),
) as Readonly<Record<string, { readonly type: 'string' }>>;

/**
 * What is written behind `route-test`, as one target and its options: a URL as it is, or a line of curl, as one argument (pasted in quotes) or as
 * several. Options of route-test itself win. Throws a CliError for a line without a URL, or with more than one.
 */
export function withCurl(words: readonly string[], options: RouteTestOptions): [string, RouteTestOptions] {
  const [first = '', ...rest] = words;
  const line = rest.length === 0 ? wordsOf(first.trim()) : words;
  if (line[0] !== 'curl') {
    if (rest.length === 0) return [first, options];
    throw new CliError(`${JSON.stringify(words.join(' '))} is more than one request; write one, or a line of curl`);
  }
  return fromCurl(line.slice(1), options);
}

function fromCurl(args: readonly string[], options: RouteTestOptions): [string, RouteTestOptions] {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...readOver, ...read },
    allowPositionals: true,
    strict: false,
  });
  const line = values as Values;
  const urls = [...(line.url === undefined ? [] : [line.url]), ...positionals];
  const [url, second] = urls;
  if (url === undefined || second !== undefined)
    throw new CliError(
      url === undefined ? 'the line of curl has no URL' : `the line of curl has several URLs: ${urls.join(', ')}`,
    );
  const sent = bodyOf(line);
  const header = [...headersIn(line), ...options.header];
  const target = line.get && sent.length > 0 ? `${url}${url.includes('?') ? '&' : '?'}${sent.join('&')}` : url;
  return [target, { ...options, request: options.request ?? methodOf(line, sent), header }];
}

interface Values {
  readonly request?: string;
  readonly header?: readonly string[];
  readonly url?: string;
  readonly head?: boolean;
  readonly get?: boolean;
  readonly 'user-agent'?: string;
  readonly referer?: string;
  readonly cookie?: string;
  readonly user?: string;
  readonly 'oauth2-bearer'?: string;
  readonly 'upload-file'?: string;
  readonly form?: readonly string[];
  readonly json?: readonly string[];
  readonly data?: readonly string[];
  readonly 'data-raw'?: readonly string[];
  readonly 'data-binary'?: readonly string[];
  readonly 'data-urlencode'?: readonly string[];
}

const bodyOf = (line: Values): readonly string[] => [
  ...(line.data ?? []),
  ...(line['data-raw'] ?? []),
  ...(line['data-binary'] ?? []),
  ...(line['data-urlencode'] ?? []),
  ...(line.json ?? []),
];

function methodOf(line: Values, sent: readonly string[]): string {
  if (line.request !== undefined) return line.request;
  if (line.head) return 'HEAD';
  if (line.get) return 'GET';
  if (line['upload-file'] !== undefined) return 'PUT';
  return sent.length > 0 || line.form !== undefined ? 'POST' : 'GET';
}

/** The headers that curl sends, as far as the line says them; a header that it takes away (`-H 'Accept:'`) is not sent. */
function headersIn(line: Values): string[] {
  const written = (line.header ?? []).filter((header) => !/^[^:]+:\s*$/.test(header));
  const has = (name: string) => written.some((header) => header.toLowerCase().startsWith(`${name}:`));
  const implied: [string, string | undefined][] = [
    ['user-agent', line['user-agent']],
    ['referer', line.referer],
    ['cookie', line.cookie],
    ['authorization', authorizationOf(line)],
    ['content-type', contentTypeOf(line)],
    ['accept', line.json === undefined ? undefined : 'application/json'],
  ];
  return [
    ...written,
    ...implied.flatMap(([name, value]) => (value === undefined || has(name) ? [] : `${name}: ${value}`)),
  ];
}

function authorizationOf({ user, 'oauth2-bearer': token }: Values): string | undefined {
  if (token !== undefined) return `Bearer ${token}`;
  return user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`;
}

function contentTypeOf(line: Values): string | undefined {
  if (line.json !== undefined) return 'application/json';
  if (line.form !== undefined) return 'multipart/form-data';
  return bodyOf(line).length > 0 && !line.get ? 'application/x-www-form-urlencoded' : undefined;
}

/** The words of a line, as a POSIX shell splits them: quotes, backslashes, and lines that go on. */
function wordsOf(line: string): string[] {
  const word = /(?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s'"\\])+/g;
  return (line.replaceAll(/\\\r?\n/g, ' ').match(word) ?? []).map(unquoted);
}

const unquoted = (word: string): string =>
  word.replaceAll(
    /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])/g,
    (_, single, double, escaped) => single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped,
  );
