import { RE2JS } from '@bufbuild/re2';
import type * as ir from '../../ir/index.ts';
import type { SeenRequest } from './request.ts';

/** Why a match does not hold for a request: its first part that does not. Undefined: it holds. */
export function mismatch(match: ir.RouteMatch, request: SeenRequest): string | undefined {
  return (
    pathMismatch(match.path, request.path) ??
    (match.method === undefined || match.method === request.method
      ? undefined
      : `its method is ${match.method}, the request's is ${request.method}`) ??
    (match.grpc && !request.isGrpc
      ? 'it is for gRPC, and the request is not: its Content-Type is another'
      : undefined) ??
    namedMismatch('header', match.headers, request.header) ??
    namedMismatch('query parameter', match.queryParams, request.queryParam) ??
    namedMismatch('cookie', match.cookies ?? [], (name) => cookieValues(request.header('cookie'), name))
  );
}

function pathMismatch({ kind, value }: ir.PathMatch, path: string): string | undefined {
  if (kind === 'exact') return path === value ? undefined : `its path is ${value}, the request's is ${path}`;
  if (kind === 'regex') return matches(value, path) ? undefined : `its path expression ${value} does not match ${path}`;
  const holds = value === '/' || path === value || path.startsWith(`${value}/`);
  return holds ? undefined : `its path prefix is ${value}, the request's path is ${path}`;
}

function namedMismatch(
  what: string,
  wanted: readonly ir.NamedMatch[],
  read: (name: string) => readonly string[],
): string | undefined {
  for (const { name, match } of wanted) {
    const values = read(name);
    if (values.length === 0) return `it wants ${what} ${name}, which the request does not have`;
    if (values.some((value) => (match.kind === 'exact' ? value === match.value : matches(match.value, value))))
      continue;
    const desired = match.kind === 'exact' ? `to be ${match.value}` : `to match ${match.value}`;
    return `it wants ${what} ${name} ${desired}, and it is ${values.join(' and ') || 'empty'}`;
  }
  return undefined;
}

/** The first one of a name, as Envoy reads them. */
function cookieValues(headers: readonly string[], name: string): string[] {
  const pairs = headers.flatMap((header) => header.split(';')).map((pair) => pair.trim().split('='));
  const found = pairs.find(([key]) => key === name);
  return found ? [found.slice(1).join('=')] : [];
}

const compiled = new Map<string, RE2JS>();
const mostCompiled = 1_000;

/** The graph lets no expression through that does not compile. */
function matches(expression: string, value: string): boolean {
  const known = compiled.get(expression);
  const program = known ?? RE2JS.compile(expression);
  if (!known) {
    if (compiled.size >= mostCompiled) compiled.clear();
    compiled.set(expression, program);
  }
  return program.matches(value);
}
