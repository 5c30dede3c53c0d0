import type * as ir from '../../ir/index.ts';
import type { Candidate } from './walk.ts';

/** In the order in which they decide. Source: HTTPRouteRule.matches, on precedence. */
const traits: readonly { readonly of: (match: ir.RouteMatch) => unknown; readonly text: string }[] = [
  { of: ({ grpc }) => grpc === true, text: 'gRPC matches are tried before others' },
  { of: ({ path }) => path.kind, text: 'exact paths are tried before prefixes, and these before expressions' },
  { of: ({ path }) => path.value.length, text: 'the longer path is tried first' },
  { of: ({ method }) => method !== undefined, text: 'a match with a method is tried first' },
  { of: ({ headers, cookies = [] }) => headers.length + cookies.length, text: 'more headers are tried first' },
  { of: ({ queryParams }) => queryParams.length, text: 'more query parameters are tried first' },
];

/** Why a match that holds as well is tried after the winner. */
export function explainPrecedence(winner: Candidate, later: Candidate): string {
  if (winner.host !== later.host) return `the host ${winner.host} is looked at before ${later.host}`;
  const deciding = traits.find(({ of }) => of(winner.route.match) !== of(later.route.match));
  return (
    deciding?.text ??
    'the more specific hostname of the route is tried first; then the older route; then by name and place in the route'
  );
}
