import type { Fields } from '../../kit/values.ts';
import type { Literal } from './conjunctions.ts';

/** Version of the grammar of rules. */
export type Syntax = 'v2' | 'v3';

/** One alternative of a rule in words of the Gateway API. */
export interface RuleMatch {
  /** None: all hosts. */
  readonly hostnames: readonly string[];
  readonly path: PathMatch | undefined;
  readonly method: string | undefined;
  readonly headers: readonly Fields[];
  readonly queryParams: readonly Fields[];
  /** Networks of the clients that it is for. */
  readonly clientIPs: readonly string[];
}

/** `prefix` is compared by characters: `/foo` is for `/foobar` too. `regex` is for whole paths. */
export interface PathMatch {
  readonly kind: 'exact' | 'prefix' | 'regex';
  readonly value: string;
}

export interface MatchRead {
  readonly matches: readonly RuleMatch[];
  /** Why there is no word for it; then there are no matches. */
  readonly lost: readonly string[];
  /** What is different with it. */
  readonly differs: readonly string[];
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

interface Draft {
  hosts: readonly string[] | undefined;
  paths: readonly PathMatch[] | undefined;
  methods: readonly string[] | undefined;
  readonly headers: Fields[];
  readonly queryParams: Fields[];
  clientIPs: readonly string[] | undefined;
  readonly lost: string[];
  readonly differs: string[];
}

/** Reads one alternative. A matcher may have several values in the old grammar: one of them must hold. */
export function matchesOf(literals: readonly Literal[], syntax: Syntax): MatchRead {
  const draft: Draft = {
    hosts: undefined,
    paths: undefined,
    methods: undefined,
    headers: [],
    queryParams: [],
    clientIPs: undefined,
    lost: [],
    differs: [],
  };
  for (const literal of literals) read(literal, draft, syntax);
  const {
    hosts = [],
    paths = [undefined],
    methods = [undefined],
    headers,
    queryParams,
    clientIPs = [],
    lost,
    differs,
  } = draft;
  if (lost.length > 0) return { matches: [], lost, differs };
  const matches = paths.flatMap((path) =>
    methods.map((method) => ({ hostnames: hosts, path, method, headers, queryParams, clientIPs })),
  );
  return { matches, lost, differs };
}

function read({ name, values, isNot }: Literal, draft: Draft, syntax: Syntax): void {
  if (isNot) {
    draft.lost.push(`!${name}: a rule says what requests have, and not what they lack`);
    return;
  }
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (reader === undefined) draft.lost.push(`${name} is no matcher that is known here`);
  else reader(values, draft, syntax);
}

type Reader = (values: readonly string[], draft: Draft, syntax: Syntax) => void;

/** Two matchers of one kind must both hold, for which there is no word. */
function once<K extends 'hosts' | 'paths' | 'methods' | 'clientIPs'>(
  draft: Draft,
  field: K,
  value: NonNullable<Draft[K]>,
): void {
  if (draft[field] === undefined) draft[field] = value;
  else draft.lost.push(`two matchers of ${field} must both hold`);
}

const pathReader =
  (kind: PathMatch['kind']): Reader =>
  (values, draft, syntax) =>
    once(
      draft,
      'paths',
      values.map((value) => (syntax === 'v2' && value.includes('{') ? template(value, kind) : { kind, value })),
    );

/** A path of the old grammar with variables, such as `/users/{id:[0-9]+}`, as an expression. */
function template(value: string, kind: PathMatch['kind']): PathMatch {
  const body = value.replaceAll(
    /\{[^{}:]*(?::((?:[^{}]|\{[^{}]*\})*))?\}|[^{]+/g,
    (part, pattern: string | undefined) => (part.startsWith('{') ? `(?:${pattern ?? '[^/]+'})` : escaped(part)),
  );
  return { kind: 'regex', value: kind === 'prefix' ? `${body}.*` : body };
}

/** One header or parameter; an expression is for a part of the value, unless it has anchors. */
const pair = (name: string, value: string, isRegex: boolean): Fields =>
  isRegex ? { type: 'RegularExpression', name, value: whole(value) } : { name, value };

/** An expression that is for any part of a text, as one for the whole of it: each of its alternatives has anchors of its own. */
function whole(pattern: string): string {
  const all = alternativesOf(pattern).map((one) => {
    const hasEnd = /(?:^|[^\\])(?:\\\\)*\$$/.test(one);
    const body = one.replace(/^\^/, '').slice(0, hasEnd ? -1 : undefined);
    return `${one.startsWith('^') ? '' : '.*'}${body}${hasEnd ? '' : '.*'}`;
  });
  return all.length === 1 ? (all[0] as string) : all.map((one) => `(?:${one})`).join('|');
}

/** What stands between the bars of an expression that are in no group and in no class. */
function alternativesOf(pattern: string): readonly string[] {
  const found = [''];
  let depth = 0;
  let isClass = false;
  for (const [part] of pattern.matchAll(/\\.|[\s\S]/g)) {
    if (isClass) isClass = part !== ']';
    else if (part === '[') isClass = true;
    else if (part === '(') depth += 1;
    else if (part === ')') depth -= 1;
    if (part === '|' && depth === 0 && !isClass) found.push('');
    else found[found.length - 1] += part;
  }
  return found;
}

const pairReader =
  (field: 'headers' | 'queryParams', isRegex: boolean): Reader =>
  (values, draft) => {
    const [name, value] = values;
    if (name === undefined || values.length > 2) draft.lost.push(`${field} are compared by one value`);
    else if (value === undefined && name.includes('='))
      draft[field].push(pair(name.replace(/=.*$/s, ''), name.replace(/^[^=]*=/, ''), isRegex));
    else draft[field].push(value === undefined ? pair(name, '.*', true) : pair(name, value, isRegex));
  };

const hosts: Reader = (values, draft) =>
  once(
    draft,
    'hosts',
    values.map((value) => value.toLowerCase().replace(/\.$/, '')),
  );

const readers: Readonly<Record<string, Reader>> = {
  Host: hosts,
  HostHeader: hosts,
  HostRegexp(values, draft) {
    const found = values.map(wildcardOf);
    if (found.includes(undefined))
      draft.lost.push(`HostRegexp: ${values.join(', ')} is no name with one wildcard in front`);
    else {
      once(draft, 'hosts', found.filter((host) => host !== undefined && host !== '*') as readonly string[]);
      draft.differs.push(`${values.join(', ')} is ${found.join(', ')} here: any name in front`);
    }
  },
  Path: pathReader('exact'),
  PathPrefix: pathReader('prefix'),
  PathRegexp: (values, draft) =>
    once(
      draft,
      'paths',
      values.map((value) => ({ kind: 'regex', value: whole(value) })),
    ),
  Method: (values, draft) =>
    once(
      draft,
      'methods',
      values.map((value) => value.toUpperCase()),
    ),
  Header: pairReader('headers', false),
  Headers: pairReader('headers', false),
  HeaderRegexp: pairReader('headers', true),
  HeadersRegexp: pairReader('headers', true),
  Query: pairReader('queryParams', false),
  QueryRegexp: pairReader('queryParams', true),
  ClientIP(values, draft) {
    once(draft, 'clientIPs', values);
    draft.differs.push('requests of other clients are denied, and do not go on to another rule');
  },
};

/** `*.NAME` for an expression that stands for names below one name; `*` for one that stands for all; undefined for others. */
function wildcardOf(pattern: string): string | undefined {
  if (/^(?:\{[^{}]*:?\.[+*]\}|\^?\.[+*]\$?)$/.test(pattern)) return '*';
  const [, name] =
    /^(?:\{[^{}]+\}|\^?(?:\(?\??:?(?:\[[^\]]+\]|\.|\\w)[+*]\)?))\\?\.((?:[a-z0-9-]+\\?\.)+[a-z0-9-]+)\$?$/.exec(
      pattern,
    ) ?? [];
  return name === undefined ? undefined : `*.${name.replaceAll('\\', '')}`;
}

/** A path as HTTPRoutes have it. `isPlain`: nothing else of its host is an expression, so that `/` need not be one. */
export function pathOf(path: PathMatch | undefined, isPlain: boolean): Fields | undefined {
  if (path?.kind === 'exact') return { type: 'Exact', value: path.value };
  if (path?.kind === 'regex') return { type: 'RegularExpression', value: path.value };
  const value = path?.value ?? '/';
  if (value === '/' && isPlain) return path === undefined ? undefined : { type: 'PathPrefix', value };
  return { type: 'RegularExpression', value: `${escaped(value)}.*` };
}
