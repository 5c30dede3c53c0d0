import * as ir from '../../ir/index.ts';

type PrefixReplacement =
  | { readonly kind: 'prefix'; readonly value: string }
  | { readonly kind: 'regex'; readonly regex: string; readonly substitution: string };

/**
 * Replacing prefix `from` by `value` so that no slash is doubled or lost. Envoy's prefix_rewrite replaces text, the
 * Gateway API path segments; the two differ where one side is `/`. Source: HTTPPathModifier.replacePrefixMatch, its table.
 */
function replacePrefix(from: string, value: string): PrefixReplacement {
  const prefix = from.replace(/\/+$/, '');
  const replacement = value.replace(/\/+$/, '');
  if (replacement === '') return { kind: 'regex', regex: `^${ir.literalPattern(prefix)}/*`, substitution: '/' };
  return { kind: 'prefix', value: prefix === '' ? `${replacement}/` : replacement };
}

/** The path fields of a RouteAction. */
export function forwardPath(rewrite: ir.PathRewrite) {
  if (rewrite.kind === 'full') return { pathRewrite: rewrite.value.replaceAll('%', '%%') };
  if (rewrite.kind === 'regex') return { regexRewrite: replacementOf(rewrite) };
  const replaced = replacePrefix(rewrite.from, rewrite.value);
  if (replaced.kind === 'prefix') return { prefixRewrite: replaced.value };
  return { regexRewrite: regexRewrite(replaced) };
}

/** The path field of a RedirectAction, as its oneof. */
export function redirectPath(rewrite: ir.PathRewrite) {
  if (rewrite.kind === 'full') return { case: 'pathRedirect' as const, value: rewrite.value };
  if (rewrite.kind === 'regex') return { case: 'regexRewrite' as const, value: replacementOf(rewrite) };
  const replaced = replacePrefix(rewrite.from, rewrite.value);
  if (replaced.kind === 'prefix') return { case: 'prefixRewrite' as const, value: replaced.value };
  return { case: 'regexRewrite' as const, value: regexRewrite(replaced) };
}

const regexRewrite = ({ regex, substitution }: { readonly regex: string; readonly substitution: string }) => ({
  pattern: { regex },
  substitution,
});

/** As Envoy has it: RE2's own substitution. */
export const replacementOf = ({ pattern, value }: ir.RegexReplacement) =>
  regexRewrite({ regex: pattern, substitution: value });
