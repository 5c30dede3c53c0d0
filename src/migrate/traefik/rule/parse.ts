/** A rule of Traefik, such as ``Host(`a.test`) && !PathPrefix(`/x`)``, as it is written. */
export type Rule =
  | { readonly kind: 'matcher'; readonly name: string; readonly values: readonly string[] }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Rule[] }
  | { readonly kind: 'not'; readonly part: Rule };

/** A rule that cannot be read. The message says where. */
export class RuleError extends Error {}

type Token = { readonly kind: 'name' | 'text' | 'sign' | 'end'; readonly text: string; readonly at: number };

const patterns: readonly (readonly [Token['kind'], RegExp])[] = [
  ['name', /[A-Za-z]+/y],
  ['text', /`[^`]*`|"(?:[^"\\]|\\.)*"/y],
  ['sign', /&&|\|\||[!(),]/y],
];

/** Longest rule that is read: rules have no bound of their own. */
const longest = 16_384;
/** Brackets and negations within each other. */
const deepest = 64;

function tokensOf(text: string): readonly Token[] {
  if (text.length > longest) throw new RuleError(`it has more than ${longest} characters`);
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text[at] as string)) {
      at += 1;
      continue;
    }
    const found = patterns.flatMap(([kind, pattern]) => {
      pattern.lastIndex = at;
      const [match] = pattern.exec(text) ?? [];
      return match === undefined ? [] : [{ kind, text: match, at }];
    })[0];
    if (found === undefined) throw new RuleError(`unexpected ${text[at]} at character ${at + 1}`);
    tokens.push(found);
    at += found.text.length;
  }
  return [...tokens, { kind: 'end', text: 'the end', at }];
}

/**
 * Reads a rule. `||` binds weaker than `&&`, and `!` the strongest. Matchers are read as they are written, whether they are known or not. Throws a
 * RuleError for what is no rule.
 */
export function parseRule(text: string): Rule {
  const tokens = tokensOf(text);
  let next = 0;
  const peek = (): Token => tokens[next] as Token;
  const take = (sign: string): boolean => {
    const isIt = peek().kind === 'sign' && peek().text === sign;
    if (isIt) next += 1;
    return isIt;
  };
  const fail = (wanted: string): never => {
    throw new RuleError(`${wanted} is wanted at character ${peek().at + 1}, not ${peek().text}`);
  };
  const expect = (sign: string): void => {
    if (!take(sign)) fail(sign);
  };
  const several = (kind: 'and' | 'or', sign: string, read: () => Rule): Rule => {
    const parts = [read()];
    while (take(sign)) parts.push(read());
    return parts.length === 1 ? (parts[0] as Rule) : { kind, parts };
  };
  const matcher = (): Rule => {
    const { kind, text: name } = peek();
    if (kind !== 'name') return fail('a matcher');
    next += 1;
    expect('(');
    const values: string[] = [];
    while (!take(')')) {
      if (values.length > 0) expect(',');
      if (peek().kind !== 'text') fail('a value in backticks or quotes');
      values.push(unquoted(peek().text));
      next += 1;
    }
    return { kind: 'matcher', name, values };
  };
  const unary = (depth: number): Rule => {
    if (depth > deepest) throw new RuleError(`it is more than ${deepest} deep`);
    if (take('!')) return { kind: 'not', part: unary(depth + 1) };
    if (!take('(')) return matcher();
    const inner = alternatives(depth + 1);
    expect(')');
    return inner;
  };
  const alternatives = (depth: number): Rule => several('or', '||', () => several('and', '&&', () => unary(depth)));
  const rule = alternatives(0);
  if (peek().kind !== 'end') fail('&& or ||');
  return rule;
}

const unquoted = (text: string): string =>
  text.startsWith('`') ? text.slice(1, -1) : text.slice(1, -1).replaceAll(/\\(.)/g, '$1');
