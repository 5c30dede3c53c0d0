import { type Header, joined, nothing, only, type Part } from '../features/part.ts';
import type { Finding } from '../finding.ts';
import { directives, settingNamed } from '../settings/index.ts';
import { quantityOf } from '../values/nginx-size.ts';
import { valueText } from '../values/variables.ts';
import { addressLines, isAddressLine } from './addresses.ts';
import { type Directive, mostDirectives, parseDirectives } from './parse.ts';

/**
 * A snippet, directive by directive. What has no word is quoted, and blocks: it may be what keeps requests out. `hasAddresses`: it is the one place
 * that says which addresses may come in to its paths.
 */
export function snippet(name: string, source: string, hasAddresses = false): Part {
  const directives = parseDirectives(source);
  const clientIPs = hasAddresses ? addressLines(directives) : undefined;
  if (clientIPs === undefined)
    return joined([...unreadPart(name, directives), ...directives.map((directive) => partOf(name, directive))]);
  const [lines, others] = [directives.filter(isAddressLine), directives.filter((each) => !isAddressLine(each))];
  const findings = lines.map(
    ({ line, text }): Finding => ({
      verdict: 'same',
      about: `${name} line ${line}`,
      text: `${text} → AccessPolicy clientIPs`,
    }),
  );
  return joined([{ findings, access: { clientIPs } }, ...others.map((directive) => partOf(name, directive))]);
}

/** What stands behind the last directive that is read may keep requests out. */
const unreadPart = (name: string, directives: readonly Directive[]): readonly Part[] =>
  directives.length < mostDirectives
    ? []
    : [
        only({
          verdict: 'cannot',
          about: name,
          text: `no more than ${mostDirectives} directives are read`,
          blocks: true,
        }),
      ];

type Convert = (args: readonly string[]) => Omit<Part, 'findings'> | undefined;

/** Without variables and control characters. */
const headerValue = /^[\x20-\x23\x25-\x7e]+$/;
const headerName = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;

/** `name: value` words of the headers-more module; undefined if one has options or variables. */
function moreHeaders(args: readonly string[]): readonly Header[] | undefined {
  const headers = args.map(
    (arg) => /^(?<name>[^:\s]+):\s*(?<value>[\x20-\x23\x25-\x7e]*)$/.exec(arg)?.groups as Header | undefined,
  );
  return headers.every((header) => header !== undefined && headerName.test(header.name))
    ? (headers as readonly Header[])
    : undefined;
}

const fixed = (
  [name = '', value = '', ...rest]: readonly string[],
  allowed: readonly string[] = [],
): Header | undefined =>
  headerName.test(name) && headerValue.test(value) && rest.every((word) => allowed.includes(word))
    ? { name: name.toLowerCase(), value }
    : undefined;

/** A header whose value has variables; undefined if one of them has no word here, or the name is one that cannot be set. */
function valued([name = '', value = '', ...rest]: readonly string[]): Header | undefined {
  if (!headerName.test(name) || rest.length > 0 || fixedNames.test(name)) return undefined;
  const text = valueText(value);
  return text === undefined ? undefined : { name: name.toLowerCase(), value: text };
}

/** Headers that frame messages, or are the proxy's own. */
const fixedNames =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|keep-alive|proxy-connection|x-gw-.*)$/i;

/** `return 301 https://NAME$request_uri`: to another host or scheme, with the same path and query. */
function redirectTo(statusCode: number, url: string): Part['redirect'] {
  const { scheme, host, port } =
    /^(?<scheme>https?|\$scheme):\/\/(?<host>\$host|\$http_host|[a-z0-9][-a-z0-9.]*)(?::(?<port>\d{1,5}))?\$request_uri$/.exec(
      url,
    )?.groups ?? {};
  if (scheme === undefined || host === undefined || ![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  return {
    ...(scheme !== '$scheme' && { scheme }),
    ...(!host.startsWith('$') && { hostname: host }),
    ...(port !== undefined && { port: Number(port) }),
    statusCode,
  };
}

const names = (args: readonly string[]): readonly string[] | undefined =>
  args.every((name) => headerName.test(name)) ? args.map((name) => name.toLowerCase()) : undefined;

/** Headers of answers that clients do not get. */
const hidden: Convert = (args) => {
  const remove = names(args);
  return remove && { responseHeaders: { remove } };
};

const converters: Readonly<Record<string, Convert>> = {
  add_header: (args) => {
    const header = fixed(args, ['always']);
    return header && { responseHeaders: { add: [header] } };
  },
  more_set_headers: (args) => {
    const set = moreHeaders(args);
    return set && { responseHeaders: { set } };
  },
  more_clear_headers: hidden,
  proxy_hide_header: hidden,
  proxy_set_header: (args) => {
    const header = fixed(args);
    if (header !== undefined) return header.name === 'host' ? undefined : { requestHeaders: { set: [header] } };
    const value = valued(args);
    return value && { requestValues: [value] };
  },
  more_set_input_headers: (args) => {
    const set = moreHeaders(args);
    return set && { requestHeaders: { set } };
  },
  more_clear_input_headers: (args) => {
    const remove = names(args);
    return remove && { requestHeaders: { remove } };
  },
  client_max_body_size: ([size = '']) => {
    if (!/^\d{1,9}[kmg]?$/i.test(size)) return undefined;
    const maxBytes = quantityOf(size);
    return maxBytes === undefined ? {} : { traffic: { requestBody: { maxBytes } } };
  },
  proxy_read_timeout: idle,
  proxy_send_timeout: idle,
  return: ([code = '', body, ...rest]) => {
    const status = Number(code);
    const redirect = redirectTo(status, body ?? '');
    if (redirect !== undefined && rest.length === 0) return { redirect };
    if (
      !/^[2-5]\d\d$/.test(code) ||
      rest.length > 0 ||
      (status >= 300 && status < 400) ||
      /[^\x20-\x23\x25-\x7e\t\n]/.test(body ?? '')
    )
      return undefined;
    return { answer: { directResponse: { status, ...(body !== undefined && { body }) } } };
  },
};

function idle([time = '']: readonly string[]): Omit<Part, 'findings'> | undefined {
  const [, number, unit = 's'] = /^(\d{1,5})(s|m|h|ms)?$/.exec(time) ?? [];
  return number === undefined ? undefined : { traffic: { timeouts: { streamIdle: `${number}${unit}` } } };
}

function partOf(name: string, directive: Directive): Part {
  const [row] = settingNamed(directives, directive.name);
  const about = `${name} line ${directive.line}`;
  if (row?.verdict === 'no-effect') return { findings: [{ verdict: 'no-effect', about, text: directive.text }] };
  const convert = Object.hasOwn(converters, directive.name) ? converters[directive.name] : undefined;
  const part = directive.hasBlock ? undefined : convert?.(directive.args);
  if (part !== undefined) {
    const verdict = row?.verdict ?? 'same';
    return { ...part, findings: [{ verdict, about, text: `${directive.text} → ${row?.becomes ?? ''}` }] };
  }
  const lost: Finding = {
    verdict: row?.verdict === 'decision' ? 'decision' : 'cannot',
    about,
    text: `${directive.text}${row?.why === undefined ? '' : `: ${row.why}`}`,
    blocks: true,
  };
  return { ...nothing, findings: [lost] };
}
