/** A request as somebody wrote it down. */
export interface WrittenRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly port: number | undefined;
  readonly scheme: 'http' | 'https' | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Options that change nothing of the answer, or that this page does not know. */
  readonly ignored: readonly string[];
}

/** What cannot be read, with the word that is wrong. */
export interface Unreadable {
  readonly fault: 'empty' | 'quote' | 'url' | 'value';
  readonly word: string;
}

/** Options of curl that take a value. Source: curl's manual page. */
const withValue = new Set([
  ...[
    '-o',
    '-w',
    '-m',
    '-x',
    '-E',
    '-c',
    '-T',
    '-K',
    '-D',
    '--output',
    '--write-out',
    '--max-time',
    '--connect-timeout',
    '--retry',
  ],
  ...[
    '--cacert',
    '--cert',
    '--key',
    '--proxy',
    '--cookie-jar',
    '--resolve',
    '--connect-to',
    '--interface',
    '--limit-rate',
    '--upload-file',
  ],
]);

const dataOptions = new Set([
  '-d',
  '--data',
  '--data-raw',
  '--data-binary',
  '--data-ascii',
  '--data-urlencode',
  '--json',
  '-F',
  '--form',
]);

/** Reads a curl line, a URL, or `HOST/PATH`. */
export function readRequest(text: string): WrittenRequest | Unreadable {
  const words = wordsOf(text);
  if ('fault' in words) return words;
  if (words.list.length === 0) return { fault: 'empty', word: '' };
  const first = words.list[0] ?? '';
  return /^(?:curl|curl\.exe|\$)$/.test(first) ? readCurl(words.list.slice(first === '$' ? 2 : 1)) : readUrl(first, {});
}

/** Words as a shell splits them: quotes, escapes and lines that go on. */
function wordsOf(text: string): { readonly list: readonly string[] } | Unreadable {
  const list: string[] = [];
  const source = text.replace(/\\\r?\n/g, ' ');
  const part = /\s*(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|\$'((?:[^'\\]|\\.)*)'|\\(.)|([^\s'"\\]+)|(['"]))(\s|$)?/gsy;
  let word: string | undefined;
  for (let match = part.exec(source); match !== null; match = part.exec(source)) {
    const [, single, double, dollar, escaped, plain, open, end] = match;
    if (open !== undefined) return { fault: 'quote', word: source.slice(match.index).trim().slice(0, 40) };
    const piece = single ?? escaped ?? plain ?? (double ?? dollar ?? '').replace(/\\(.)/g, '$1');
    word = (word ?? '') + piece;
    if (end === undefined) continue;
    list.push(word);
    word = undefined;
  }
  return { list: word === undefined ? list : [...list, word] };
}

interface CurlParts {
  method?: string;
  hasData?: boolean;
  isGet?: boolean;
  isHead?: boolean;
  headers: [string, string][];
  ignored: string[];
}

function readCurl(words: readonly string[]): WrittenRequest | Unreadable {
  const parts: CurlParts = { headers: [], ignored: [] };
  let url: string | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('-') || word === '-') {
      url ??= word;
      continue;
    }
    const [option, joined] = optionOf(word);
    if (option === '--url') {
      at += joined === undefined ? 1 : 0;
      url ??= joined ?? words[at];
      continue;
    }
    const takesValue = [
      '-X',
      '--request',
      '-H',
      '--header',
      '-A',
      '--user-agent',
      '-b',
      '--cookie',
      '-u',
      '--user',
      '-e',
      '--referer',
    ].includes(option);
    if (!takesValue && !dataOptions.has(option) && !withValue.has(option)) {
      takeFlag(parts, option);
      continue;
    }
    at += joined === undefined ? 1 : 0;
    const value = joined ?? words[at];
    if (value === undefined) return { fault: 'value', word: option };
    takeOption(parts, option, value);
  }
  return url === undefined ? { fault: 'url', word: '' } : readUrl(url, parts);
}

/** `--name=value` and `-Xvalue` carry their value with them. */
function optionOf(word: string): readonly [string, string | undefined] {
  const long = /^(--[^=]+)=(.*)$/s.exec(word);
  if (long) return [long[1] ?? '', long[2]];
  const short = /^(-[XHdAbuoweFmx])(.+)$/s.exec(word);
  return short ? [short[1] ?? '', short[2]] : [word, undefined];
}

function takeFlag(parts: CurlParts, option: string): void {
  if (option === '-G' || option === '--get') parts.isGet = true;
  else if (option === '-I' || option === '--head') parts.isHead = true;
  else parts.ignored.push(option);
}

function takeOption(parts: CurlParts, option: string, value: string): void {
  if (option === '-X' || option === '--request') parts.method = value;
  else if (option === '-H' || option === '--header') {
    const [name = '', ...rest] = value.split(':');
    if (name.trim() !== '') parts.headers.push([name.trim(), rest.join(':').trim()]);
  } else if (option === '-A' || option === '--user-agent') parts.headers.push(['user-agent', value]);
  else if (option === '-e' || option === '--referer') parts.headers.push(['referer', value]);
  else if (option === '-b' || option === '--cookie') parts.headers.push(['cookie', value]);
  else if (option === '-u' || option === '--user') parts.headers.push(['authorization', `Basic ${btoa(value)}`]);
  else if (dataOptions.has(option)) parts.hasData = true;
  else parts.ignored.push(option);
}

function readUrl(
  written: string,
  { method, hasData, isGet, isHead, headers = [], ignored = [] }: Partial<CurlParts>,
): WrittenRequest | Unreadable {
  const scheme = /^(https?):\/\//i.exec(written)?.[1]?.toLowerCase() as 'http' | 'https' | undefined;
  const full = scheme === undefined ? `http://${written}` : written;
  if (!URL.canParse(full)) return { fault: 'url', word: written };
  const { hostname, port, pathname, search } = new URL(full);
  const named = headers.find(([name]) => name.toLowerCase() === 'host')?.[1];
  const at = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(named ?? '')?.[1];
  return {
    method: (method ?? (isHead ? 'HEAD' : hasData && !isGet ? 'POST' : 'GET')).toUpperCase(),
    host: at === undefined || at === '' ? hostname.replace(/^\[(.*)\]$/, '$1') : at,
    path: rawPath(full) ?? `${pathname}${search}`,
    port: port === '' ? undefined : Number(port),
    scheme,
    headers: headers.filter(([name]) => name.toLowerCase() !== 'host'),
    ignored,
  };
}

/** As written: a browser's URL would resolve `..` and `//`, about which somebody may be asking. */
function rawPath(url: string): string | undefined {
  const rest = /^[a-z]+:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1];
  if (rest === undefined) return undefined;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Headers that say who somebody is: they never come into an address. */
export const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-api-key',
]);
