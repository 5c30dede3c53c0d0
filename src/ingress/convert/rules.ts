import type { Fields, Header, HeaderEdits, Written } from '../features/part.ts';
import type { Finding } from '../finding.ts';
import type { Judged } from '../judge/judge.ts';
import { canaryRules } from './canary.ts';
import { type PathRule, pathOf } from './matches.ts';
import { rewriteOf } from './rewrite.ts';
import { backendRef, type RuleContext } from './rule-context.ts';

/** Rules of a route, with the HTTPFilters that they name. */
export interface Rules {
  readonly rules: readonly Fields[];
  readonly findings: readonly Finding[];
}

const closedAnswer = ({ filters, isServed }: RuleContext): Fields => {
  const body = isServed ? 'This path is not served.' : 'This path was not converted.';
  return filters.add('closed', { directResponse: { status: 503, body } });
};

/** The rules of some paths, those with the same backends and filters together. */
export function rulesOf(paths: readonly PathRule[], context: RuleContext): Rules {
  const findings: Finding[] = [];
  const rules: { readonly matches: Fields[]; readonly rest: Fields }[] = [];
  for (const path of paths) {
    for (const { match, rest } of rulesOfPath(path, context, findings)) {
      const same =
        path.location.form === 'regex'
          ? undefined
          : rules.find(
              (rule) => rule.matches.length < mostMatches && JSON.stringify(rule.rest) === JSON.stringify(rest),
            );
      if (same) same.matches.push(match);
      else rules.push({ matches: [match], rest });
    }
  }
  return { rules: rules.map(({ matches, rest }) => ({ matches, ...rest })), findings };
}

const mostMatches = 64;

interface OneRule {
  readonly match: Fields;
  readonly rest: Fields;
}

function rulesOfPath(path: PathRule, context: RuleContext, findings: Finding[]): readonly OneRule[] {
  const { judged, site, filters, closed } = context;
  const match = pathOf(path);
  const fault = closed ?? path.fault;
  if (fault !== undefined) {
    if (closed === undefined)
      findings.push({
        verdict: 'cannot',
        about: `path ${path.location.path}`,
        text: `${fault}; it is answered 503`,
        blocks: true,
      });
    return [{ match, rest: { filters: [closedAnswer(context)] } }];
  }
  if (path.slash) return [{ match, rest: { filters: [slashRedirect(path.location.path)] } }];
  const { answer, redirect } = judged.part;
  if (redirect !== undefined)
    return [
      { match, rest: { filters: [...answerHeaders(context), { type: 'RequestRedirect', requestRedirect: redirect }] } },
    ];
  if (answer !== undefined)
    return [{ match, rest: { filters: [...answerHeaders(context), filters.add('answer', answer)] } }];
  const upstream = site.servers.upstreams.get(path.location.upstream);
  const rewritten = pathFilters(path, context, findings);
  const backend = upstream && backendRef(upstream, context);
  // nginx has no upstream where a Service is a canary's alone: its default backend answers.
  const isNothing =
    upstream === undefined && !context.isServed && !site.world.controller.flags.has('default-backend-service');
  if (isNothing) return [{ match, rest: { filters: [filters.add('not-found', { directResponse: { status: 404 } })] } }];
  if (upstream === undefined || backend === undefined || rewritten === undefined)
    return [{ match, rest: { filters: [closedAnswer(context)] } }];
  const common: Written[] = [
    ...requestHeaders(path, judged),
    ...answerHeaders(context),
    ...valueFilter(context),
    ...rewritten,
    ...corsFilter(judged),
    ...mirrorFilter(judged),
  ];
  return canaryRules({ match, backend, upstream, common, session: judged.part.session }, context);
}

const slashRedirect = (path: string): Fields => ({
  type: 'RequestRedirect',
  requestRedirect: { path: { type: 'ReplaceFullPath', replaceFullPath: path }, statusCode: 301 },
});

/** `URLRewrite` and the HTTPFilter of a rewrite; undefined if the rewrite has no equivalent here. */
function pathFilters(
  { location }: PathRule,
  { judged, filters }: RuleContext,
  findings: Finding[],
): readonly Fields[] | undefined {
  const { hostname, pathRewrite } = judged.part;
  const own = pathRewrite === undefined ? [] : [filters.add('snippet-rewrite', pathRewrite)];
  const { rewriteTarget } = location.rules;
  const host = hostname === undefined ? {} : { hostname };
  if (location.form !== 'regex' || rewriteTarget === undefined || rewriteTarget === location.path)
    return [...(hostname === undefined ? [] : [{ type: 'URLRewrite', urlRewrite: host }]), ...own];
  const rewrite = rewriteOf(rewriteTarget, location.path);
  if ('fault' in rewrite) {
    findings.push({
      verdict: 'cannot',
      about: 'rewrite-target',
      text: `${rewrite.fault}; the path is answered 503`,
      blocks: true,
    });
    return undefined;
  }
  if ('full' in rewrite)
    return [
      { type: 'URLRewrite', urlRewrite: { ...host, path: { type: 'ReplaceFullPath', replaceFullPath: rewrite.full } } },
    ];
  return [
    ...(hostname === undefined ? [] : [{ type: 'URLRewrite', urlRewrite: host }]),
    filters.add('rewrite', rewrite.filter),
  ];
}

/** Headers for the backend; `x-forwarded-prefix` goes with a rewrite only. */
function requestHeaders({ location }: PathRule, { settings, part }: Judged): readonly Fields[] {
  const value = location.rules.rewriteTarget === undefined ? undefined : settings.set('x-forwarded-prefix');
  const prefix: readonly Header[] =
    value === undefined || value.includes('$') ? [] : [{ name: 'x-forwarded-prefix', value }];
  const { set = [], ...edits } = part.requestHeaders ?? {};
  return modifier('RequestHeaderModifier', 'requestHeaderModifier', { set: [...prefix, ...set], ...edits });
}

/** The HTTPFilter of headers whose values depend on the request. */
function valueFilter({ judged: { part }, filters }: RuleContext): readonly Fields[] {
  const { requestValues = [] } = part;
  if (requestValues.length === 0) return [];
  return [filters.add('headers', { headers: { request: { set: uniqueByName(requestValues) } } })];
}

export function answerHeaders({
  judged: { part },
  transport,
}: Pick<RuleContext, 'judged' | 'transport'>): readonly Fields[] {
  const own: readonly Header[] =
    transport === undefined ? [] : [{ name: 'strict-transport-security', value: transport }];
  const { set = [], ...edits } = part.responseHeaders ?? {};
  return modifier('ResponseHeaderModifier', 'responseHeaderModifier', { set: [...own, ...set], ...edits });
}

function modifier(type: string, field: string, edits: HeaderEdits): readonly Fields[] {
  const filled = Object.entries(edits).filter(([, list]) => (list as readonly unknown[]).length > 0);
  return filled.length === 0
    ? []
    : [{ type, [field]: Object.fromEntries(filled.map(([name, list]) => [name, uniqueByName(list)])) as Fields }];
}

/** The last of several with one name counts, as in nginx; the API takes one. */
const uniqueByName = (list: readonly (Header | string)[]): readonly Written[] =>
  [
    ...new Map(list.map((item) => [typeof item === 'string' ? item : item.name, item])).values(),
  ] as unknown as readonly Written[];

const corsFilter = ({ part: { cors } }: Judged): readonly Fields[] =>
  cors === undefined ? [] : [{ type: 'CORS', cors }];
const mirrorFilter = ({ part: { mirror } }: Judged): readonly Fields[] =>
  mirror === undefined ? [] : [{ type: 'RequestMirror', requestMirror: mirror }];
