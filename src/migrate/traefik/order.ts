import type { PathMatch, RuleMatch } from './rule/matches.ts';

/** A match with its place in both orders. */
export interface Ordered {
  /** `KIND/NAMESPACE/NAME`. */
  readonly id: string;
  readonly match: RuleMatch;
  /** Traefik’s: higher goes first. */
  readonly priority: number;
}

/** Two matches that change places. */
export interface Swap {
  readonly first: Ordered;
  readonly second: Ordered;
  /** A request that both are for. */
  readonly request: string;
}

const ranks = { exact: 0, regex: 2 } as const;

/** Our order, as far as it is known: the more specific host, then an exact path, then the longer one, then method, headers and parameters. */
function isFirstHere(a: Ordered, b: Ordered): boolean {
  const [left, right] = [keyOf(a), keyOf(b)];
  const index = left.findIndex((value, at) => value !== right[at]);
  return index >= 0 && (left[index] as number) > (right[index] as number);
}

function keyOf({ match: { hostnames, path, method, headers, queryParams } }: Ordered): readonly number[] {
  const host = Math.max(...hostnames.map((name) => (name.startsWith('*.') ? name.length : 1000 + name.length)), 0);
  const kind = path?.kind === 'exact' ? 'exact' : 'regex';
  return [
    host,
    -ranks[kind],
    path?.value.length ?? 1,
    method === undefined ? 0 : 1,
    headers.length,
    queryParams.length,
  ];
}

/** A path that both are for; undefined if there is none, or none that is easily found. */
function sharedPath(a: PathMatch | undefined, b: PathMatch | undefined): string | undefined {
  const [left, right] = [a ?? all, b ?? all];
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const)
    if (one.kind !== 'regex' && isFor(other, one.value)) return one.value;
  return undefined;
}

const all: PathMatch = { kind: 'prefix', value: '/' };

function isFor({ kind, value }: PathMatch, path: string): boolean {
  if (kind === 'exact') return path === value;
  if (kind === 'prefix') return path.startsWith(value);
  // An expression of users is not run: it may take without end.
  return false;
}

const covers = (name: string, other: string): boolean =>
  name === other || (name.startsWith('*.') && other.endsWith(name.slice(1)));

function sharedHost(a: readonly string[], b: readonly string[]): string | undefined {
  if (a.length === 0) return b[0] ?? 'any.test';
  if (b.length === 0) return a[0];
  for (const one of a) for (const other of b) if (covers(one, other)) return other;
  for (const one of a) for (const other of b) if (covers(other, one)) return one;
  return undefined;
}

/** Headers and parameters that a request needs for both. */
function withParts(...matches: readonly RuleMatch[]): string {
  const headers = matches.flatMap((match) => match.headers).map(({ name, value }) => `${name}: ${value}`);
  const params = matches.flatMap((match) => match.queryParams).map(({ name, value }) => `${name}=${value}`);
  return [
    ...(params.length > 0 ? [`?${params.join('&')}`] : []),
    ...(headers.length > 0 ? [` with ${headers.join(', ')}`] : []),
  ].join('');
}

/** Most pairs that are looked at of one host: the report is for people. */
const most = 200_000;

/** Matches that Traefik tries in another order than the Gateway API, with a request that shows it. */
export function swapsOf(list: readonly Ordered[]): readonly Swap[] {
  const found: Swap[] = [];
  let looked = 0;
  for (const [index, a] of list.entries())
    for (const b of list.slice(index + 1)) {
      looked += 1;
      if (looked > most) return found;
      if (a.priority === b.priority) continue;
      const [first, second] = a.priority > b.priority ? [a, b] : [b, a];
      const host = sharedHost(first.match.hostnames, second.match.hostnames);
      if (host === undefined || !isFirstHere(second, first)) continue;
      const { method } = first.match;
      if (method !== undefined && second.match.method !== undefined && method !== second.match.method) continue;
      const path = sharedPath(first.match.path, second.match.path);
      if (path === undefined) continue;
      const verb = method ?? second.match.method ?? 'GET';
      found.push({
        first,
        second,
        request: `${verb} http://${host.replace('*.', 'a.')}${path}${withParts(first.match, second.match)}`,
      });
    }
  return found;
}
