import { type Header, joined, nothing, only, type Part } from '../features/part.ts';
import type { Finding } from '../finding.ts';
import { directives, settingNamed } from '../settings/index.ts';
import { headerName } from '../values/header-name.ts';
import { quantityOf } from '../values/nginx-size.ts';
import { valueText } from '../values/variables.ts';
import { addressLines, isAddressLine } from './addresses.ts';
import { breakRewriteOf } from './break-rewrite.ts';
import { rejectionOf, unlessOf } from './conditions.ts';
import { type Directive, mostDirectives, parseDirectives } from './parse.ts';
import { rewriteFilter, rewriteRedirect } from './rewrites.ts';

/** What a snippet may mean at its place. */
export interface SnippetPlace {
  /** It is the one place that says which addresses may come in to its paths. */
  readonly hasAddresses?: boolean;
  /** It is for the paths of an Ingress, where nothing else rewrites, redirects, or takes one proof for another. */
  readonly isAlone?: boolean;
}

/** A snippet, directive by directive. What has no word is quoted, and blocks: it may be what keeps requests out. */
export function snippet(name: string, source: string, place: SnippetPlace = {}): Part {
  const directives = parseDirectives(source);
  const together = togetherOf(name, directives, place);
  const used = new Set(together.flatMap((each) => each.directives));
  const endings = directives.filter((each) => isEnding(each));
  return joined([
    ...unreadPart(name, directives),
    ...together.map(({ part }) => part),
    ...directives
      .filter((directive) => !used.has(directive))
      // Which of several answers is given depends on their order.
      .map((directive) =>
        endings.length > 1 && isEnding(directive) ? lostPart(name, directive) : partOf(name, directive),
      ),
  ]);
}

const isEnding = ({ name, args }: Directive): boolean =>
  name === 'return' || (name === 'rewrite' && args[2] !== 'break');

/** Directives that mean something together. */
interface Together {
  readonly directives: readonly Directive[];
  readonly part: Part;
}

function togetherOf(
  name: string,
  directives: readonly Directive[],
  { hasAddresses, isAlone }: SnippetPlace,
): readonly Together[] {
  const clientIPs = hasAddresses ? addressLines(directives) : undefined;
  const lines = directives.filter(isAddressLine);
  const addresses = clientIPs && [
    { directives: lines, part: partOfAll(name, lines, 'same', 'AccessPolicy clientIPs', { access: { clientIPs } }) },
  ];
  return [
    ...(addresses ?? []),
    ...(isAlone ? [...rejections(name, directives), ...breakRewrite(name, directives)] : []),
  ];
}

function partOfAll(
  name: string,
  lines: readonly Directive[],
  verdict: Finding['verdict'],
  becomes: string,
  part: Omit<Part, 'findings'>,
): Part {
  const findings = lines.map(
    ({ line, text }): Finding => ({ verdict, about: `${name} line ${line}`, text: `${text} → ${becomes}` }),
  );
  return { ...part, findings };
}

/** Lines `if` that reject some requests, where nothing answers before or behind them. */
function rejections(name: string, directives: readonly Directive[]): readonly Together[] {
  if (directives.length >= mostDirectives || directives.some((each) => isEnding(each) || each.name === 'set'))
    return [];
  const found = directives.flatMap((directive) => {
    const rejection = rejectionOf(directive, parseDirectives);
    return rejection ? [{ directive, ...rejection }] : [];
  });
  const cel = [...new Set(found.map(({ condition }) => unlessOf(condition)))].join(' && ');
  if (cel === '' || !isCel(cel)) return [];
  const part = partOfAll(
    name,
    found.map(({ directive }) => directive),
    'differs',
    'AccessPolicy authorization: clients get 403, on HTTP after the redirect to HTTPS',
    {
      access: { authorization: { default: 'Deny', rules: [{ name: 'snippet', action: 'Allow', when: { cel } }] } },
    },
  );
  return [{ directives: found.map(({ directive }) => directive), part }];
}

/** Source: AccessPolicy. */
const isCel = (text: string): boolean =>
  text.length <= 1_024 && (text.match(/[([]/g)?.length ?? 0) <= 40 && (text.match(/\?/g)?.length ?? 0) <= 8;

function breakRewrite(name: string, directives: readonly Directive[]): readonly Together[] {
  const rewrite = breakRewriteOf(directives);
  const filter = rewrite && rewriteFilter(rewrite);
  // What stands behind it is not read for the paths that it rewrites.
  if (filter === undefined || directives.some((each) => ['return', 'if', 'set', 'break'].includes(each.name)))
    return [];
  const lines = directives.filter((each) => each.name === 'rewrite');
  return [
    {
      directives: lines,
      part: partOfAll(name, lines, 'same', 'an HTTPFilter with regexRewrite', { pathRewrite: filter }),
    },
  ];
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

/** A header whose value has variables; undefined if one of them has no equivalent here, or the name is one that cannot be set. */
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
  rewrite: (args) => {
    const answer = rewriteRedirect(args);
    return answer && { answer };
  },
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
  return lostPart(name, directive);
}

function lostPart(name: string, { name: directive, line, text }: Directive): Part {
  const [row] = settingNamed(directives, directive);
  const lost: Finding = {
    verdict: row?.verdict === 'decision' || writable.has(directive) ? 'decision' : 'cannot',
    about: `${name} line ${line}`,
    text: `${text}${row?.why === undefined ? '' : `: ${row.why}`}`,
    blocks: true,
  };
  return { ...nothing, findings: [lost] };
}

/** What a person can say here, where no conversion can. */
const writable: ReadonlySet<string> = new Set(['if', 'rewrite']);
