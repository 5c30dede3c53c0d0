import type { Draft } from '../kit/draft.ts';
import type { Visit } from '../kit/table.ts';
import type { Fields } from '../kit/values.ts';
import { redirectOf } from './redirects.ts';
import type { RuleMatch } from './rule/matches.ts';
import { headerChanges } from './tables/headers.ts';
import { type PathChange, rewriteOf } from './tables/paths.ts';

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
  matches: readonly RuleMatch[],
  isTls: boolean,
  visit: Visit,
): RuleFilters {
  const response = headerChanges(draft.get('Headers.response'));
  const answer = response === undefined ? [] : [{ type: 'ResponseHeaderModifier', responseHeaderModifier: response }];
  const redirect = redirectOf(draft, matches, isTls, visit);
  if (redirect !== undefined)
    return 'regexRedirect' in redirect
      ? { all: [extensionRef(`${name}-1`), ...answer], objects: [redirect], isAnswered: true }
      : { all: [{ type: 'RequestRedirect', requestRedirect: redirect }, ...answer], objects: [], isAnswered: true };
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
      ...objects.map((_, index) => extensionRef(`${name}-${index + 1}`)),
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

const extensionRef = (name: string): Fields => ({
  type: 'ExtensionRef',
  extensionRef: { group: 'gatewright.dev', kind: 'HTTPFilter', name },
});
