import { RE2JS } from '@bufbuild/re2';
import { groupsOf, substitutionOf } from '../convert/rewrite.ts';
import type { Fields } from '../features/part.ts';
import type { BreakRewrite } from './break-rewrite.ts';

/** The HTTPFilter that rewrites paths as a rewrite of nginx does: all of a path that the expression matches anywhere. */
export function rewriteFilter({ expression, target }: BreakRewrite): Fields | undefined {
  const pattern = `^.*?(?:${expression.replaceAll(' ', '%20')}).*$`;
  if (!isSimple(expression) || !isRe2(pattern)) return undefined;
  const made = substitutionOf(target, groupsOf(expression));
  const substitution = 'full' in made ? made.full : made.substitution;
  return { regexRewrite: { pattern, substitution } };
}

/** What PCRE and RE2 read alike. */
const isSimple = (text: string): boolean =>
  !/\(\?|\\[^.\-/dDwWsSbB()[\]{}+*?|^$]|[*+?}][+]/.test(text) && text.length <= 500;

function isRe2(pattern: string): boolean {
  try {
    new RE2JS(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Expressions that match all of any path, with the group that a target may name. */
const whole: ReadonlyMap<string, string> = new Map([
  ['^', ''],
  ['.*', ''],
  ['^.*$', ''],
  ['(.*)', '^(.*)$'],
  ['^(.*)$', '^(.*)$'],
  ['^/(.*)$', '^/(.*)$'],
  ['^/(.*)', '^/(.*)$'],
]);

const location =
  /^(?<scheme>https?|\$scheme):\/\/(?<host>\$host|[a-z0-9][-a-z0-9.]*)(?::(?<port>\d{1,5}))?(?<path>\/?(?:[-A-Za-z0-9._~!&'()*+,;=:@/]|\$1)*)(?<end>\??)$/;

/** `rewrite ^/(.*)$ https://NAME/$1 permanent;`, which sends all requests elsewhere. */
export function rewriteRedirect([expression = '', target = '', flag, ...rest]: readonly string[]): Fields | undefined {
  const pattern = whole.get(expression);
  const { scheme = '', host = '', port, path = '', end } = location.exec(target)?.groups ?? {};
  const isSent = flag === undefined || flag === 'redirect' || flag === 'permanent';
  if (pattern === undefined || scheme === '' || !isSent || rest.length > 0) return undefined;
  // A path begins with a slash, which is a part of the first group only where the expression has none before it.
  const isRooted = path.startsWith('/') || path === '' || (path.startsWith('$1') && pattern === '^(.*)$');
  if (!isRooted || (pattern === '' && path.includes('$'))) return undefined;
  return {
    regexRedirect: {
      pattern: pattern === '' ? '^.*$' : pattern,
      substitution: (path === '' ? '/' : path).replaceAll('$1', '\\1'),
      ...(scheme !== '$scheme' && { scheme }),
      ...(host !== '$host' && { hostname: host }),
      ...(port !== undefined && { port: Number(port) }),
      statusCode: flag === 'permanent' ? 301 : 302,
      ...(end === '?' && { stripQuery: true }),
    },
  };
}
