import { type Header, joined, nothing, type Part } from '../features/part.ts';
import type { Finding } from '../finding.ts';
import { directives, settingNamed } from '../settings/index.ts';
import { quantityOf } from '../values/nginx-size.ts';
import { type Directive, parseDirectives } from './parse.ts';

/** A snippet, directive by directive. What has no word is quoted, and blocks: it may be what keeps requests out. */
export function snippet(name: string, source: string): Part {
  return joined(parseDirectives(source).map((directive) => partOf(name, directive)));
}

type Convert = (args: readonly string[]) => Omit<Part, 'findings'> | undefined;

const headerName = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;

/** `name: value` words of the headers-more module; undefined if one has options or variables. */
function moreHeaders(args: readonly string[]): readonly Header[] | undefined {
  const headers = args.map((arg) => /^(?<name>[^:\s]+):\s*(?<value>[^$]*)$/.exec(arg)?.groups as Header | undefined);
  return headers.every((header) => header !== undefined && headerName.test(header.name))
    ? (headers as readonly Header[])
    : undefined;
}

const fixed = (
  [name = '', value = '', ...rest]: readonly string[],
  allowed: readonly string[] = [],
): Header | undefined =>
  headerName.test(name) && value !== '' && !value.includes('$') && rest.every((word) => allowed.includes(word))
    ? { name: name.toLowerCase(), value }
    : undefined;

const names = (args: readonly string[]): readonly string[] | undefined =>
  args.every((name) => headerName.test(name)) ? args.map((name) => name.toLowerCase()) : undefined;

const converters: Readonly<Record<string, Convert>> = {
  add_header: (args) => {
    const header = fixed(args, ['always']);
    return header && { responseHeaders: { add: [header] } };
  },
  more_set_headers: (args) => {
    const set = moreHeaders(args);
    return set && { responseHeaders: { set } };
  },
  more_clear_headers: (args) => {
    const remove = names(args);
    return remove && { responseHeaders: { remove } };
  },
  proxy_hide_header: (args) => {
    const remove = names(args);
    return remove && { responseHeaders: { remove } };
  },
  proxy_set_header: (args) => {
    const header = fixed(args);
    return header && header.name !== 'host' ? { requestHeaders: { set: [header] } } : undefined;
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
    if (!/^[2-5]\d\d$/.test(code) || rest.length > 0 || (status >= 300 && status < 400) || body?.includes('$'))
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
