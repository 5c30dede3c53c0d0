import type { Draft } from '../kit/draft.ts';
import type { Visit } from '../kit/table.ts';
import type { Fields } from '../kit/values.ts';
import type { RuleMatch } from './rule/matches.ts';
import { pathRedirect } from './tables/path-redirects.ts';
import { hostRedirect } from './tables/paths.ts';

interface RegexRedirect {
  readonly regex: string;
  readonly replacement: string;
  readonly permanent: boolean;
}

/** A redirect to another scheme, port or host; undefined if there is none, or if it would lead to itself. */
export function redirectOf(
  draft: Draft,
  matches: readonly RuleMatch[],
  isTls: boolean,
  visit: Visit,
): Fields | undefined {
  const scheme = draft.of('RedirectScheme') as
    | { readonly scheme: string; readonly port?: string; readonly permanent: boolean }
    | undefined;
  if (scheme !== undefined && scheme.scheme !== (isTls ? 'https' : 'http')) {
    noteStatus(visit);
    return {
      scheme: scheme.scheme,
      ...(/^\d+$/.test(scheme.port ?? '') && { port: Number(scheme.port) }),
      statusCode: scheme.permanent ? 301 : 302,
    };
  }
  const regex = draft.of('RedirectRegex') as RegexRedirect | undefined;
  if (regex === undefined) return undefined;
  const made = regexRedirectOf(regex, matches, isTls);
  if (made === undefined)
    visit
      .at('middlewares')
      .lose(
        'a redirect by an expression for the whole URL is converted if it is for all requests of the rule, and changes scheme, host and the beginning of the path alone',
        true,
      );
  else noteStatus(visit);
  return made;
}

const noteStatus = (visit: Visit): void =>
  visit
    .at('middlewares')
    .note('differs', 'requests other than GET are redirected by 301 or 302 too, and not by 308 or 307');

/** A RequestRedirect, or `regexRedirect` of an HTTPFilter where the path changes; undefined if there is no word for it, or if it would lead to itself. */
function regexRedirectOf(
  { regex, replacement, permanent }: RegexRedirect,
  matches: readonly RuleMatch[],
  isTls: boolean,
): Fields | undefined {
  const hosts = hostsOf(matches);
  const scheme = isTls ? 'https' : 'http';
  const statusCode = permanent ? 301 : 302;
  const leadsToItself = (to: { readonly scheme: string; readonly hostname: string }) =>
    hosts.includes(to.hostname) && to.scheme === scheme;
  const isForHosts = (expression: string, path: string) =>
    hosts.length > 0 && hosts.every((host) => isFor(expression, `${scheme}://${host}${path}`));
  const found = hostRedirect(regex, replacement);
  if (found !== undefined)
    return isForHosts(regex, '/') && !leadsToItself(found) ? { ...found, statusCode } : undefined;
  const more = pathRedirect(regex, replacement);
  if (more === undefined || !isForHosts(`^${more.origin}$`, '')) return undefined;
  const isForPaths = matches.every(({ path }) =>
    path === undefined ? more.prefix === '/' : path.kind !== 'regex' && path.value.startsWith(more.prefix),
  );
  const isLoop =
    leadsToItself(more.redirect) &&
    matches.some(({ path }) => more.redirect.substitution.startsWith(path?.value ?? '/'));
  return isForPaths && !isLoop ? { regexRedirect: { ...more.redirect, statusCode } } : undefined;
}

const hostsOf = (matches: readonly RuleMatch[]): readonly string[] => [
  ...new Set(matches.flatMap(({ hostnames }) => hostnames)),
];

/** The form of the expression was looked at before: it has one group at most, at its end, so it takes no time. */
function isFor(regex: string, url: string): boolean {
  try {
    return new RegExp(regex).test(url);
  } catch {
    return false;
  }
}
