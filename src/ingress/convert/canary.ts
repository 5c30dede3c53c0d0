import type { Fields, Written } from '../features/part.ts';
import type { Canary } from '../model/canary.ts';
import type { Upstream } from '../model/upstreams.ts';
import { backendRef, type RuleContext } from './rule-context.ts';

interface Base {
  readonly match: Fields;
  readonly backend: Fields;
  readonly upstream: Upstream;
  readonly common: readonly Written[];
  readonly session: Fields | undefined;
}

interface OneRule {
  readonly match: Fields;
  readonly rest: Fields;
}

/** The rule of a path, with those of its canary before it: header `always`, `never`, cookie `always`, `never`, then weights. */
export function canaryRules(
  { match, backend, upstream, common, session }: Base,
  context: RuleContext,
): readonly OneRule[] {
  const rule = (backendRefs: readonly Fields[], more: Fields = {}, filters: readonly Written[] = []): OneRule => ({
    match: { ...match, ...more },
    rest: {
      ...(common.length + filters.length > 0 && { filters: [...filters, ...common] }),
      backendRefs,
      ...(session !== undefined && { sessionPersistence: session }),
    },
  });
  const other = context.site.servers.upstreams.get(upstream.alternatives[0] ?? '');
  const canaryRef = other && backendRef(other, context);
  if (other?.canary === undefined || canaryRef === undefined) return [rule([backend])];
  const { canary } = other;
  return [
    ...headerMatches(canary).map(({ isCanary, ...header }) =>
      rule([isCanary ? canaryRef : backend], { headers: [header] }),
    ),
    ...cookieMatches(canary).map(({ isCanary, ...cookieMatch }) =>
      rule([isCanary ? canaryRef : backend], {}, [context.filters.add(`canary-${cookieMatch.value}`, { cookieMatch })]),
    ),
    rule(weighted(backend, canaryRef, canary)),
  ];
}

function weighted(backend: Fields, canaryRef: Fields, { weight, total }: Canary): readonly Fields[] {
  const share = Math.min(Math.max(0, weight), total);
  if (share === 0) return [backend];
  return [
    { ...backend, weight: total - share },
    { ...canaryRef, weight: share },
  ];
}

type Side = { readonly isCanary: boolean };

function headerMatches({
  header: name,
  value,
  pattern,
}: Canary): readonly (Side & { readonly type?: string; readonly name: string; readonly value: string })[] {
  if (name === undefined) return [];
  if (value !== undefined) return [{ isCanary: true, name, value }];
  if (pattern !== undefined) return [{ isCanary: true, type: 'RegularExpression', name, value: `.*(?:${pattern}).*` }];
  return [
    { isCanary: true, name, value: 'always' },
    { isCanary: false, name, value: 'never' },
  ];
}

const cookieMatches = ({
  cookie: name,
}: Canary): readonly (Side & { readonly name: string; readonly value: string })[] =>
  name === undefined
    ? []
    : [
        { isCanary: true, name, value: 'always' },
        { isCanary: false, name, value: 'never' },
      ];
