import type { Draft } from '../kit/draft.ts';
import type { Visit } from '../kit/table.ts';
import type { Fields } from '../kit/values.ts';
import { headerChanges } from './tables/headers.ts';
import { hostRedirect, type PathChange, rewriteOf } from './tables/paths.ts';

export interface RuleFilters {
  /** Of the rule. HTTPFilters are named by the name that is given and a number. */
  readonly all: readonly Fields[];
  /** Specs of HTTPFilters. */
  readonly objects: readonly Fields[];
  /** The proxy answers by itself. */
  readonly isAnswered: boolean;
}

/** The filters that middlewares ask for. */
export function filtersOf(
  name: string,
  draft: Draft,
  hosts: readonly string[],
  isTls: boolean,
  visit: Visit,
): RuleFilters {
  const response = headerChanges(draft.get('Headers.response'));
  const answer = response === undefined ? [] : [{ type: 'ResponseHeaderModifier', responseHeaderModifier: response }];
  const redirect = redirectOf(draft, hosts, isTls, visit);
  if (redirect !== undefined)
    return { all: [{ type: 'RequestRedirect', requestRedirect: redirect }, ...answer], objects: [], isAnswered: true };
  const changes = [...((draft.get('Headers.request') as readonly Fields[] | undefined) ?? []), ...prefixHeader(draft)];
  const request = headerChanges(changes);
  const host = draft.get('Host.name');
  const rewrite = rewriteOf(draft.get('Paths.list'));
  if (rewrite === null)
    visit.at('middlewares').lose('several middlewares change the path, for which there is one expression', true);
  const full =
    rewrite !== null && rewrite !== undefined && 'path' in rewrite
      ? { path: { type: 'ReplaceFullPath', replaceFullPath: rewrite.path } }
      : {};
  const url = { ...(typeof host === 'string' && { hostname: host }), ...full };
  const objects = rewrite !== null && rewrite !== undefined && 'pattern' in rewrite ? [{ regexRewrite: rewrite }] : [];
  return {
    all: [
      ...(request === undefined ? [] : [{ type: 'RequestHeaderModifier', requestHeaderModifier: request }]),
      ...answer,
      ...objects.map((_, index) => ({
        type: 'ExtensionRef',
        extensionRef: { group: 'gatewright.dev', kind: 'HTTPFilter', name: `${name}-${index + 1}` },
      })),
      ...(Object.keys(url).length > 0 ? [{ type: 'URLRewrite', urlRewrite: url }] : []),
    ],
    objects,
    isAnswered: false,
  };
}

/** Backends learn the prefix that was taken off. */
function prefixHeader(draft: Draft): readonly Fields[] {
  const changes = (draft.get('Paths.list') as readonly PathChange[] | undefined) ?? [];
  const found = changes.find((change) => change.kind === 'strip');
  return found?.kind === 'strip' && found.prefix !== undefined
    ? [{ name: 'X-Forwarded-Prefix', value: found.prefix }]
    : [];
}

/** A redirect to another scheme, port or host; undefined if there is none, or if it would lead to itself. */
function redirectOf(draft: Draft, hosts: readonly string[], isTls: boolean, visit: Visit): Fields | undefined {
  const scheme = draft.of('RedirectScheme') as
    | { readonly scheme: string; readonly port?: string; readonly permanent: boolean }
    | undefined;
  if (scheme !== undefined && scheme.scheme !== (isTls ? 'https' : 'http')) {
    visit
      .at('middlewares')
      .note('differs', 'requests other than GET are redirected by 301 or 302 too, and not by 308 or 307');
    return {
      scheme: scheme.scheme,
      ...(/^\d+$/.test(scheme.port ?? '') && { port: Number(scheme.port) }),
      statusCode: scheme.permanent ? 301 : 302,
    };
  }
  const regex = draft.of('RedirectRegex') as
    | { readonly regex: string; readonly replacement: string; readonly permanent: boolean }
    | undefined;
  if (regex === undefined) return undefined;
  const found = hostRedirect(regex.regex, regex.replacement);
  const isForAll =
    found !== undefined &&
    hosts.length > 0 &&
    hosts.every((host) => isFor(regex.regex, `${isTls ? 'https' : 'http'}://${host}/`));
  const isLoop = found !== undefined && hosts.includes(found.hostname) && (found.scheme === 'https') === isTls;
  if (found === undefined || !isForAll || isLoop) {
    visit
      .at('middlewares')
      .lose(
        'a redirect by an expression for the whole URL is converted where it changes scheme and host of all requests alone',
        true,
      );
    return undefined;
  }
  return { ...found, statusCode: regex.permanent ? 301 : 302 };
}

/** The form of the expression was looked at before: it has one group, at its end, so it takes no time. */
function isFor(regex: string, url: string): boolean {
  try {
    return new RegExp(regex).test(url);
  } catch {
    return false;
  }
}
